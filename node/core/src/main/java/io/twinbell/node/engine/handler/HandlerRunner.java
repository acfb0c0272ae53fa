package io.twinbell.node.engine.handler;

import io.twinbell.node.engine.task.HandlerDefinition;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletionStage;

/** Runs the handler of a task. */
@FunctionalInterface
public interface HandlerRunner {
    /**
     * Starts the call. It may end before this method returns, or later on another thread. Cancelling the future ends a
     * running call early.
     *
     * @throws Exception if the handler threw it on this thread
     */
    CompletionStage<HandlerOutcome> start(HandlerCall call) throws Exception;

    /**
     * Returns the key of the java handler that the task needs and this node does not have; null if nothing is missing.
     */
    default String lacks(HandlerDefinition spec) {
        return null;
    }

    /** Whether {@link #ended} is to be called. */
    default boolean observesOutcomes() {
        return false;
    }

    /**
     * Called with the outcome of a started call before it is recorded, on the thread that ended it. Does not throw.
     *
     * @param nextAttempt when another attempt is due; null if none follows
     */
    default void ended(HandlerCall call, HandlerOutcome outcome, Instant nextAttempt) {}

    /** How long after its fire time a slot waits for a master that has its java handler, before it fails. */
    default Duration waitForMissing() {
        return Duration.ZERO;
    }
}
