package io.twinbell.node.engine.worker;

/** How busy the workers are. */
public interface WorkerCounts {
    int size();

    int active();

    /** Runs that wait for one. */
    int queued();

    /** Those that handlers hold on to though they were told to end. */
    int abandoned();
}
