package io.twinbell.node.engine.worker;

/** The size and current load of the worker pool. */
public interface WorkerCounts {
    int size();

    int active();

    /** Runs that wait for a worker. */
    int queued();

    /** Threads that handlers still occupy although they were interrupted. */
    int abandoned();
}
