package io.twinbell.node.engine.worker;

import io.twinbell.node.engine.run.Run;
import io.twinbell.node.engine.trigger.RunDispatcher;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.Supplier;

/** The threads that run handlers and system tasks. */
public interface Workers extends RunDispatcher {
    /**
     * Starts all workers.
     *
     * @param perform creates what performs the runs of one worker; called once for each worker
     * @param performSystem performs a system task
     */
    void start(Supplier<Consumer<Run>> perform, LongConsumer performSystem);

    /** Discards runs that were handed back, to make room for later claims. */
    void forgetHandedBack();

    /**
     * Abandons the worker that the run's handler occupies, and starts another.
     *
     * @return false if it could not be replaced
     */
    boolean replaceWorkerOf(Run run);

    /** How many runs it performs at once, besides system tasks. */
    int size();

    int active();

    /** Runs that wait for a worker. */
    int queued();

    /** Threads that handlers still occupy although they were interrupted. */
    int abandoned();

    /** Stops all workers. Handlers that still run are interrupted; they were drained before, if there was time. */
    void stop();
}
