package io.twinbell.node.virtual;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.handler.TaskHandler;
import io.twinbell.handler.TransactionalHandler;
import io.twinbell.node.engine.handler.HandlerCall;
import io.twinbell.node.engine.handler.HandlerOutcome;
import io.twinbell.node.engine.handler.HandlerRunner;
import io.twinbell.node.engine.task.HandlerDefinition;
import io.twinbell.node.handler.http.CallbackUrls;
import io.twinbell.node.handler.jvm.JavaHandlers;
import io.twinbell.node.handler.jvm.JavaRunner;
import io.twinbell.node.handler.store.Checkpoints;
import io.twinbell.node.json.StrictJson;
import io.twinbell.node.pair.LibraryNode;
import io.twinbell.node.task.definition.HandlerSpec;
import io.twinbell.persistence.task.TaskContent;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Runs handlers on the thread that advances time. A run takes no virtual time, unless the test says how long it takes: then
 * the handler's code runs at the start, and its outcome comes that much later.
 */
final class VirtualHandlers implements HandlerRunner, LibraryNode.HandlerRegistry {
    /** The default of {@code handlers.java.missing}. */
    private static final Duration MISSING = Duration.ofMinutes(15);

    private static final String NO_TRANSACTIONS =
            "a transactional handler needs a database, and virtual time has none: name that of the application with"
                    + " dataSource(…), test it with a real pair, or register a TaskHandler in its place";

    private static final String NO_CALLBACKS =
            "virtual time parks no execution, because no other program can answer it: test it with a real pair";

    private final JavaRunner java;
    private final Map<String, TaskHandler> standIns;
    private final Map<String, Duration> durations;
    private final VirtualTimeline time;
    private final boolean hasTransactions;

    /** @param transactions null if there is no database for transactional handlers */
    VirtualHandlers(
            Map<String, TaskHandler> registered,
            VirtualSettings settings,
            Checkpoints checkpoints,
            VirtualTimeline time,
            VirtualTransactions transactions) {
        hasTransactions = transactions != null;
        durations = settings.durations();
        JavaHandlers handlers = new JavaHandlers();
        registered.forEach((key, handler) -> handlers.add(key, checked(key, handler), JavaHandlers.PROGRAM));
        java = new JavaRunner(handlers, transactions, checkpoints, new CallbackUrls(List.of()));
        standIns = settings.standIns();
        this.time = time;
    }

    private TaskHandler checked(String key, TaskHandler handler) {
        if (handler instanceof TransactionalHandler) {
            if (!hasTransactions) {
                throw new UnsupportedOperationException("handler \"" + key + "\": " + NO_TRANSACTIONS);
            } else if (durations.containsKey(key)) {
                throw new UnsupportedOperationException(
                        "handler \"" + key + "\" is transactional, so its runs cannot take"
                                + " virtual time: its transaction would commit long before its outcome");
            }
        }
        return handler;
    }

    @Override
    public void register(String key, TaskHandler handler) {
        java.register(key, checked(key, handler));
    }

    @Override
    public void withdraw(String key) {
        java.withdraw(key);
    }

    @Override
    public Set<String> live() {
        return Set.copyOf(java.keys());
    }

    /** @throws UnsupportedOperationException if virtual time cannot run the handler of this task */
    void check(TaskContent task) {
        String type = task.handlerType();
        boolean runs = type.equals("java") || type.equals("log") || standIns.containsKey(type);
        if (!runs) {
            throw new UnsupportedOperationException(named(task) + " has a handler of type " + type
                    + ", which virtual time cannot run: name a stand-in with standIn(\"" + type
                    + "\", context -> …), or test it with a real pair");
        }
        JsonNode completion =
                StrictJson.readStored(task.definition()).path("handler").path("completion");
        if ("CALLBACK".equals(completion.textValue())) {
            throw new UnsupportedOperationException(named(task) + " is completed by a callback; " + NO_CALLBACKS);
        }
    }

    private static String named(TaskContent task) {
        return "task \"" + task.name() + "\" of app \"" + task.app() + "\"";
    }

    @Override
    public String lacks(HandlerDefinition spec) {
        return spec instanceof HandlerSpec.JavaCode code && !java.offers(code.key()) ? code.key() : null;
    }

    @Override
    public Duration waitForMissing() {
        return MISSING;
    }

    @Override
    public CompletionStage<HandlerOutcome> start(HandlerCall call) {
        CompletionStage<HandlerOutcome> outcome = outcome(withoutParking(call));
        Duration duration = durations.get(key(call.spec()));
        return duration == null ? outcome : delayed(outcome, duration);
    }

    private static HandlerCall withoutParking(HandlerCall call) {
        return new HandlerCall(
                call.slot(),
                call.app(),
                call.name(),
                call.tags(),
                call.attempt(),
                call.epoch(),
                call.spec(),
                call.data(),
                call.startedMicros(),
                call.timeout(),
                call.attemptReports(),
                call.attributes(),
                (slot, attempt) -> {
                    throw new UnsupportedOperationException(NO_CALLBACKS);
                },
                call.logContext());
    }

    private static String key(HandlerDefinition spec) {
        return spec instanceof HandlerSpec.JavaCode code ? code.key() : spec.type();
    }

    private CompletionStage<HandlerOutcome> outcome(HandlerCall call) {
        try {
            TaskHandler standIn = standIns.get(call.spec().type());
            if (standIn != null) {
                return java.outcome(standIn, call);
            }
            return call.spec() instanceof HandlerSpec.LogLine line
                    ? CompletableFuture.completedFuture(HandlerOutcome.succeeded(line.message()))
                    : java.start(call, (HandlerSpec.JavaCode) call.spec());
        } catch (Throwable thrown) {
            return CompletableFuture.failedFuture(thrown);
        }
    }

    private CompletionStage<HandlerOutcome> delayed(CompletionStage<HandlerOutcome> outcome, Duration duration) {
        CompletableFuture<HandlerOutcome> delayed = new CompletableFuture<>();
        time.after(
                duration,
                () -> outcome.whenComplete((ended, thrown) -> {
                    if (thrown == null) {
                        delayed.complete(ended);
                    } else {
                        delayed.completeExceptionally(thrown);
                    }
                }));
        return delayed;
    }

    /**
     * Gives the lock of the tables up while a handler runs, because the handler may wait for another thread of the
     * application that enqueues a task.
     */
    record UnlockedRunner(HandlerRunner runner, ReentrantLock lock) implements HandlerRunner {
        @Override
        public CompletionStage<HandlerOutcome> start(HandlerCall call) throws Exception {
            int holds = lock.getHoldCount();
            for (int i = 0; i < holds; i++) {
                lock.unlock();
            }
            try {
                return runner.start(call);
            } finally {
                for (int i = 0; i < holds; i++) {
                    lock.lock();
                }
            }
        }

        @Override
        public String lacks(HandlerDefinition spec) {
            return runner.lacks(spec);
        }

        @Override
        public boolean observesOutcomes() {
            return runner.observesOutcomes();
        }

        @Override
        public void ended(HandlerCall call, HandlerOutcome outcome, Instant nextAttempt) {
            runner.ended(call, outcome, nextAttempt);
        }

        @Override
        public Duration waitForMissing() {
            return runner.waitForMissing();
        }
    }
}
