package io.twinbell.node.engine;

/** What runs handlers and system tasks. */
interface Workers extends Start {
    void start();

    /** Makes room for what is claimed later. */
    void forgetHandedBack();

    /**
     * Gives up the worker that the run's handler holds on to, and gets another in its place.
     *
     * @return false if it could not be replaced
     */
    boolean replaceWorkerOf(Run run);

    /** Workers that handlers hold on to though they were told to end. */
    int abandoned();

    int size();

    int active();

    int queued();

    /** Ends them. Handlers that still run are interrupted; they have been drained before, if there was time. */
    void stop();
}
