package io.twinbell.node.handler.jvm;

import io.twinbell.handler.Callback;
import io.twinbell.handler.SnoozeException;
import io.twinbell.handler.TaskContext;
import io.twinbell.handler.TaskHandler;
import io.twinbell.handler.TransactionalHandler;
import io.twinbell.node.engine.handler.ErrorCodes;
import io.twinbell.node.engine.handler.HandlerCall;
import io.twinbell.node.engine.handler.HandlerOutcome;
import io.twinbell.node.engine.handler.TextLimit;
import io.twinbell.node.handler.call.CallContext;
import io.twinbell.node.handler.call.OwnClassLoader;
import io.twinbell.node.handler.http.CallbackUrls;
import io.twinbell.node.handler.store.Checkpoints;
import io.twinbell.node.handler.store.CompletingTransaction;
import io.twinbell.node.handler.store.TransactionWork;
import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.json.StrictJson;
import io.twinbell.node.task.definition.HandlerSpec;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.BooleanSupplier;

/**
 * The {@code java} handler: runs code of the embedding program or of a plugin on the worker's own thread. Code
 * that returns a {@link CompletionStage} leaves that thread, and ends when the stage does.
 */
public final class JavaRunner {
    private static final int OUTPUT_LIMIT = 8192;

    private static final Duration IDLE = Duration.ofMinutes(1);

    private final JavaHandlers handlers;
    private final TransactionStart transactions;
    private final Checkpoints checkpoints;
    private final CallbackUrls callbackUrls;

    /** Starts the work of a handler in the transaction that completes its execution. */
    @FunctionalInterface
    public interface TransactionStart {
        CompletionStage<HandlerOutcome> start(
                HandlerCall call, CompletingTransaction.TimeLimits limits, TransactionWork work);
    }

    public JavaRunner(
            JavaHandlers handlers, TransactionStart transactions, Checkpoints checkpoints, CallbackUrls callbackUrls) {
        this.handlers = handlers;
        this.transactions = transactions;
        this.checkpoints = checkpoints;
        this.callbackUrls = callbackUrls;
    }

    /** Whether the key is known here; a key that is registered twice is refused when it is called. */
    public boolean offers(String key) {
        return handlers.keys().contains(key);
    }

    public Set<String> keys() {
        return handlers.keys();
    }

    /** Registers code of the embedding program, in place of other code under this key. Any thread. */
    public void register(String key, TaskHandler code) {
        handlers.replace(key, code, JavaHandlers.PROGRAM);
    }

    public void withdraw(String key) {
        handlers.remove(key);
    }

    public CompletionStage<HandlerOutcome> start(HandlerCall call, HandlerSpec.JavaCode code) throws Exception {
        TaskHandler handler;
        try {
            handler = handlers.get(code.key());
        } catch (JavaHandlers.NoSuchHandlerException e) {
            return CompletableFuture.completedFuture(
                    HandlerOutcome.failed(ErrorCodes.NO_HANDLER, e.getMessage(), null));
        }
        if (handler instanceof TransactionalHandler transactional) {
            return transactions.start(call, limits(call), TransactionCall.work(call, transactional));
        }
        return outcome(handler, call);
    }

    /** Runs the given handler, without regard to the handler that the task names. */
    public CompletionStage<HandlerOutcome> outcome(TaskHandler handler, HandlerCall call) throws Exception {
        Object result;
        HandlerCallContext context = new HandlerCallContext(call, checkpoints, callbackUrls);
        try {
            result = run(handler, context);
        } catch (SnoozeException e) {
            return CompletableFuture.completedFuture(snoozed(e));
        }
        if (context.isParked()) {
            return CompletableFuture.completedFuture(HandlerOutcome.parked());
        }
        return result instanceof CompletionStage<?> stage
                ? outcome(stage, context::isParked)
                : CompletableFuture.completedFuture(HandlerOutcome.succeeded(output(result)));
    }

    static HandlerOutcome snoozed(SnoozeException e) {
        return HandlerOutcome.snoozed(e.delay(), e.getMessage());
    }

    /**
     * Bounds the transaction: code may wait between two statements, but must not keep its locks once its attempt is
     * over.
     */
    private static CompletingTransaction.TimeLimits limits(HandlerCall call) {
        Duration idle = call.timeout() == null ? IDLE : call.timeout();
        return new CompletingTransaction.TimeLimits(call.timeout(), idle);
    }

    /** Calls the handler with its own class loader as the context class loader. */
    static Object run(TaskHandler handler, TaskContext context) throws Exception {
        return OwnClassLoader.call(handler, () -> handler.run(context));
    }

    /** Returns what the execution keeps of a handler's result; null if there is none. */
    static String output(Object result) {
        String output = result == null ? null : result.toString();
        return output == null ? null : TextLimit.to(OUTPUT_LIMIT, output);
    }

    /** The context of one call of a java handler. It also saves checkpoints and parks the execution. */
    private static final class HandlerCallContext extends CallContext {
        private static final int CHECKPOINT_LIMIT = 64 * 1024;

        private final Checkpoints checkpoints;
        private final CallbackUrls callbackUrls;
        private volatile boolean parked;

        HandlerCallContext(HandlerCall call, Checkpoints checkpoints, CallbackUrls callbackUrls) {
            super(call);
            this.checkpoints = checkpoints;
            this.callbackUrls = callbackUrls;
        }

        @Override
        public Callback park() {
            Callback callback =
                    callbackUrls.callback(call.slot(), call.parking().park(call.slot(), call.attempt()));
            parked = true;
            return callback;
        }

        boolean isParked() {
            return parked;
        }

        @Override
        public void checkpoint(String json) {
            byte[] bytes = json.getBytes(StandardCharsets.UTF_8);
            if (bytes.length > CHECKPOINT_LIMIT) {
                throw new IllegalArgumentException(
                        "a checkpoint has at most " + CHECKPOINT_LIMIT + " bytes, not " + bytes.length);
            }
            try {
                StrictJson.read(bytes);
            } catch (InvalidJsonException e) {
                throw new IllegalArgumentException("the checkpoint is not JSON: " + e.getMessage(), e);
            }
            if (!checkpoints.save(call.epoch(), call.slot(), call.attempt(), json)) {
                throw new IllegalStateException("the checkpoint is not saved: attempt " + call.attempt() + " of "
                        + idempotencyKey() + " is over, or another node has taken over");
            }
        }

        @Override
        public String lastCheckpoint() {
            return checkpoints.read(call.slot());
        }
    }

    /**
     * The outcome of a handler that returned a stage: it comes when the stage ends. Cancelling the returned future also
     * cancels the stage, if the stage is a future.
     *
     * @param isParked whether the handler has parked its attempt, which its asynchronous part may do too
     */
    private static CompletableFuture<HandlerOutcome> outcome(CompletionStage<?> stage, BooleanSupplier isParked) {
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
            outcome.complete(snoozed(snooze));
        } else if (cause != null) {
            outcome.completeExceptionally(cause);
        } else {
            try {
                outcome.complete(HandlerOutcome.succeeded(output(result)));
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
