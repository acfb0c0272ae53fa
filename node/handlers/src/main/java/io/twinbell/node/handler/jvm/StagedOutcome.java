package io.twinbell.node.handler.jvm;

import io.twinbell.handler.SnoozeException;
import io.twinbell.node.engine.handler.HandlerOutcome;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;

/** The outcome of a handler that returned a {@link CompletionStage}: it comes when the stage ends. */
final class StagedOutcome {
    private StagedOutcome() {}

    /**
     * Cancelling the returned future also cancels the stage, if the stage is a future.
     *
     * @param isParked whether the handler has parked its attempt, which its asynchronous part may do too
     */
    static CompletableFuture<HandlerOutcome> of(CompletionStage<?> stage, BooleanSupplier isParked) {
        CompletableFuture<HandlerOutcome> outcome = new CompletableFuture<>();
        stage.whenComplete((result, thrown) -> {
            if (thrown == null && isParked.getAsBoolean()) {
                outcome.complete(HandlerOutcome.parked());
            } else {
                complete(outcome, result, thrown);
            }
        });
        outcome.whenComplete((ended, thrown) -> {
            if (outcome.isCancelled()) {
                // The handler's own code may depend on the stage, and must not run on a thread of the engine.
                CompletableFuture.runAsync(() -> cancel(stage));
            }
        });
        return outcome;
    }

    /** The result's text is computed by the handler's own code, and may throw as well. */
    private static void complete(CompletableFuture<HandlerOutcome> outcome, Object result, Throwable thrown) {
        Throwable cause =
                thrown instanceof CompletionException && thrown.getCause() != null ? thrown.getCause() : thrown;
        if (cause instanceof SnoozeException snooze) {
            outcome.complete(JavaRunner.snoozed(snooze));
        } else if (cause != null) {
            outcome.completeExceptionally(cause);
        } else {
            try {
                outcome.complete(HandlerOutcome.succeeded(JavaRunner.output(result)));
            } catch (RuntimeException | Error e) {
                outcome.completeExceptionally(e);
            }
        }
    }

    private static void cancel(CompletionStage<?> stage) {
        try {
            stage.toCompletableFuture().cancel(true);
        } catch (UnsupportedOperationException e) {
            // Its end changes nothing any more.
        }
    }
}
