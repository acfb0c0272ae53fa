package io.twinbell.node.handler;

import io.twinbell.node.task.HandlerSpec;
import java.util.concurrent.CompletionStage;

/** Runs what a task says. */
@FunctionalInterface
public interface HandlerRunner {
    /**
     * Starts the call. It may have ended when this returns, or end later on another thread; cancelling the future ends
     * it early if it has not.
     *
     * @throws Exception what the handler threw on this thread
     */
    CompletionStage<HandlerOutcome> start(HandlerCall call) throws Exception;

    /** The key of the java handler that this node would need for it and has not; null if nothing is lacking. */
    default String lacks(HandlerSpec spec) {
        return null;
    }
}
