package io.twinbell.node.engine.settle;

import io.twinbell.node.engine.handler.ErrorCodes;
import io.twinbell.node.engine.handler.HandlerOutcome;
import io.twinbell.node.engine.run.Run;
import io.twinbell.node.engine.run.RunRegistry;
import io.twinbell.node.engine.worker.RunExecutor;
import io.twinbell.persistence.ledger.Slot;
import io.twinbell.persistence.ledger.callback.CallbackAnswer;
import io.twinbell.persistence.ledger.callback.CallbackStore;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Ends parked runs: by the answer in their row, or because the database lost the row. */
final class CallbackAnswers {
    /**
     * The number of answers read at once. It is large, because answers that are still to be recorded are read again
     * with each call.
     */
    private static final int MAX_ANSWERS = 2000;

    private final CallbackStore store;
    private final RunRegistry registry;
    private final RunExecutor executor;
    /** Parked runs whose rows were missing at the latest check: a promoted database may have lost them. */
    private Set<Slot> missing = Set.of();

    CallbackAnswers(CallbackStore store, RunRegistry registry, RunExecutor executor) {
        this.store = store;
        this.registry = registry;
        this.executor = executor;
    }

    /** Applies the earliest answers; returns whether there was one. */
    boolean applyAll() {
        List<CallbackAnswer> answers = store.answers(MAX_ANSWERS);
        answers.forEach(this::apply);
        return !answers.isEmpty();
    }

    private void apply(CallbackAnswer answer) {
        Run run = registry.find(answer.slot());
        if (run != null && run.isParked() && run.attempt().attempt() == answer.attempt()) {
            executor.endParked(run, outcome(answer.outcome()), answer.answeredMicros());
        }
    }

    /** A former master's own answer has only a state and a text. */
    private static HandlerOutcome outcome(CallbackAnswer.Outcome outcome) {
        return switch (outcome.state()) {
            case CANCELLED -> HandlerOutcome.cancelled(outcome.error());
            case SKIPPED -> HandlerOutcome.skipped(outcome.error());
            case RETRYING ->
                HandlerOutcome.failed(ErrorCodes.INTERRUPTED, "the node stopped before it noted the snooze", null);
            default ->
                new HandlerOutcome(
                        outcome.state(),
                        outcome.output(),
                        outcome.error() == null && outcome.errorCode() == null
                                ? null
                                : new HandlerOutcome.Failure(outcome.errorCode(), outcome.error()),
                        null);
        };
    }

    /** Ends runs whose rows were missing at two checks: no answer can reach them. */
    void endLost() {
        Map<Slot, Run> waiting = new HashMap<>();
        registry.all().stream().filter(Run::isAccepted).forEach(run -> waiting.put(run.slot(), run));
        Set<Slot> gone = new HashSet<>(waiting.keySet());
        if (!gone.isEmpty()) {
            gone.removeAll(store.open(waiting.keySet()));
        }
        gone.stream()
                .filter(missing::contains)
                .forEach(slot -> executor.endParked(
                        waiting.get(slot),
                        HandlerOutcome.failed(
                                ErrorCodes.CALLBACK_LOST,
                                "the database lost the token of this attempt, so its receiver cannot answer",
                                null)));
        missing = gone;
    }
}
