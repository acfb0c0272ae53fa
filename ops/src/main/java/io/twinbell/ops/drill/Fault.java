package io.twinbell.ops.drill;

import io.twinbell.ops.client.NodeException;
import java.io.IOException;
import java.time.Duration;

/**
 * Something that is done to a running pair, and undone again.
 *
 * @param name what the command line calls it
 * @param description for its help, one sentence
 * @param lasts how long it is left alone between {@code strike} and {@code heal}; a successor is waited for besides
 * @param strike returns when the fault is there
 * @param heal makes whole again what does not heal by itself
 */
record Fault(String name, String description, Aftermath aftermath, Duration lasts, Act strike, Act heal) {
    /** What must become of the roles. */
    enum Aftermath {
        /** The standby takes over, and one epoch is opened for it. */
        SUCCESSOR,
        /** The master stays what it is, in its epoch. */
        SAME_MASTER,
        /** Nobody is left: whoever is back first is the next master. */
        ANY_MASTER
    }

    /** One of the two halves of a fault. */
    @FunctionalInterface
    interface Act {
        void perform(Stage stage) throws DrillException, NodeException, IOException;
    }
}
