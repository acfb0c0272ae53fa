package io.twinbell.node.engine.worker;

import io.twinbell.node.engine.run.Run;
import io.twinbell.node.engine.trigger.RunDispatcher;

/** What runs handlers and system tasks. */
public interface Workers extends RunDispatcher, WorkerCounts {
    void start();

    /** Makes room for what is claimed later. */
    void forgetHandedBack();

    /**
     * Gives up the worker that the run's handler holds on to, and gets another in its place.
     *
     * @return false if it could not be replaced
     */
    boolean replaceWorkerOf(Run run);

    /** Ends them. Handlers that still run are interrupted; they have been drained before, if there was time. */
    void stop();
}
