package io.twinbell.node.engine.settle;

import io.twinbell.node.engine.handler.HandlerOutcome;
import io.twinbell.node.engine.run.CallbackState;
import io.twinbell.node.engine.run.Run;
import io.twinbell.node.engine.run.RunRegistry;
import io.twinbell.node.engine.step.SupersededListener;
import io.twinbell.node.engine.worker.CallbackRuns;
import io.twinbell.node.engine.worker.RunExecutor;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.Slot;
import io.twinbell.persistence.ledger.callback.CallbackStore;
import io.twinbell.persistence.ledger.callback.CallbackStore.CallbackAnswer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongConsumer;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Writes what happens to this node's parked runs into their rows: that they are parked, that their receivers have
 * accepted them, and outcomes that this node has for them.
 */
final class CallbackRunWriter {
    private static final int BATCH = 500;

    private final CallbackStore store;
    private final CallbackRuns callbackRuns;
    private final RunRegistry registry;
    private final RunExecutor executor;
    private final SupersededListener superseded;
    private final LongConsumer changed;
    private final Predicate<Epoch> isFiring;

    private final List<Run> toPark = new ArrayList<>();
    private final List<Run> accepted = new ArrayList<>();
    private final List<CallbackRuns.OwnEnd> ends = new ArrayList<>();

    /** @param isFiring whether this node is master under the epoch */
    CallbackRunWriter(
            CallbackStore store,
            CallbackRuns callbackRuns,
            RunRegistry registry,
            RunExecutor executor,
            SupersededListener superseded,
            LongConsumer changed,
            Predicate<Epoch> isFiring) {
        this.store = store;
        this.callbackRuns = callbackRuns;
        this.registry = registry;
        this.executor = executor;
        this.superseded = superseded;
        this.changed = changed;
        this.isFiring = isFiring;
    }

    /** Writes one batch of each queue. What is not written when this fails is written by the next call. */
    void write() {
        takeBatches();
        park();
        recordAccepted();
        endOwn();
    }

    /** Whether there is more to write: {@link CallbackRuns} may hold more than one batch. */
    boolean hasMore() {
        takeBatches();
        return !toPark.isEmpty() || !accepted.isEmpty() || !ends.isEmpty();
    }

    private void takeBatches() {
        fill(toPark, callbackRuns::pollToPark);
        fill(accepted, callbackRuns::pollAccepted);
        fill(ends, callbackRuns::pollEnd);
    }

    private static <T> void fill(List<T> batch, Supplier<T> queue) {
        while (batch.size() < BATCH) {
            T next = queue.get();
            if (next == null) {
                return;
            }
            batch.add(next);
        }
    }

    private void park() {
        toPark.removeIf(run -> !run.isRunning());
        Epoch.group(toPark, Run::epoch).forEach((epoch, runs) -> {
            Optional<Map<Slot, Optional<String>>> parked =
                    store.park(epoch, runs.stream().map(CallbackState::request).toList());
            if (parked.isEmpty()) {
                runs.forEach(this::refuse);
                superseded.superseded(epoch, runs.size());
            } else {
                begin(runs, parked.get());
            }
            toPark.removeAll(runs);
        });
    }

    private void begin(List<Run> runs, Map<Slot, Optional<String>> parked) {
        List<Run> called = new ArrayList<>();
        for (Run run : runs) {
            Optional<String> checkpoint = parked.get(run.slot());
            if (checkpoint == null) {
                refuse(run);
                changed.accept(run.slot().taskId());
            } else if (run.callbackState().parked(checkpoint.orElse(null))) {
                called.add(run);
            }
        }
        if (!called.isEmpty()) {
            executor.callParked(called);
        }
    }

    private void refuse(Run run) {
        run.callbackState().refused();
        executor.dropParked(run);
    }

    private void recordAccepted() {
        accepted.removeIf(run -> !run.isRunning());
        Epoch.group(accepted, Run::epoch).forEach((epoch, runs) -> {
            Map<Slot, Integer> attempts = new HashMap<>();
            runs.forEach(run -> attempts.put(run.slot(), run.attempt().attempt()));
            boolean isAuthorised = store.recordAccepted(epoch, attempts);
            for (Run run : runs) {
                run.callbackState().accepted();
                registry.parked(run);
                // Checked after the run is marked: stop() drops all runs that are marked by then.
                if (!isAuthorised || !isFiring.test(epoch)) {
                    executor.dropParked(run);
                }
            }
            if (!isAuthorised) {
                superseded.superseded(epoch, runs.size());
            }
            accepted.removeAll(runs);
        });
    }

    /** Records outcomes of this node. If the row has an answer already, that one counts, and the master applies it. */
    private void endOwn() {
        ends.removeIf(end -> !end.run().isRunning());
        Epoch.group(ends, end -> end.run().epoch()).forEach((epoch, own) -> {
            Set<Slot> answered = store.answer(
                    epoch, own.stream().map(CallbackRunWriter::answer).toList());
            for (CallbackRuns.OwnEnd end : own) {
                if (!answered.contains(end.run().slot())) {
                    executor.endParked(end.run(), end.outcome());
                } else if (!isFiring.test(epoch)) {
                    executor.dropParked(end.run());
                }
            }
            ends.removeAll(own);
        });
    }

    private static CallbackStore.OwnAnswer answer(CallbackRuns.OwnEnd end) {
        HandlerOutcome outcome = end.outcome();
        String error = outcome.error() == null ? outcome.reason() : outcome.error();
        return new CallbackStore.OwnAnswer(
                end.run().slot(),
                end.run().attempt().attempt(),
                new CallbackAnswer.Outcome(outcome.state(), outcome.output(), error, outcome.errorCode()));
    }
}
