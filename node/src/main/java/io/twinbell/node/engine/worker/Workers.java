package io.twinbell.node.engine.worker;

import io.twinbell.node.engine.run.Run;
import io.twinbell.node.engine.trigger.RunDispatcher;

/** The threads that run handlers and system tasks. */
public interface Workers extends RunDispatcher, WorkerCounts {
    void start();

    /** Discards runs that were handed back, to make room for later claims. */
    void forgetHandedBack();

    /**
     * Abandons the worker that the run's handler occupies, and starts another.
     *
     * @return false if it could not be replaced
     */
    boolean replaceWorkerOf(Run run);

    /** Stops all workers. Handlers that still run are interrupted; they were drained before, if there was time. */
    void stop();
}
