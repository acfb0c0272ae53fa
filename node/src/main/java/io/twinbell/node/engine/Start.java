package io.twinbell.node.engine;

/** Where the trigger sends a run whose instant has come, and system tasks. Must return at once. */
interface Start {
    void run(Run run);

    void system(long systemTaskId);
}
