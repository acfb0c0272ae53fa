package io.twinbell.node.engine.settle;

import io.twinbell.node.engine.claim.ClaimedRuns;
import io.twinbell.node.engine.run.InFlight;
import io.twinbell.node.engine.run.ParkState;
import io.twinbell.node.engine.run.Run;
import io.twinbell.node.engine.step.SupersededListener;
import io.twinbell.node.engine.worker.ParkedRuns;
import io.twinbell.node.engine.worker.RunExecutor;
import io.twinbell.node.handler.call.ErrorCodes;
import io.twinbell.node.handler.call.HandlerOutcome;
import io.twinbell.node.loop.Loop;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.database.Ticker;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.Slot;
import io.twinbell.persistence.ledger.parked.AdoptedAttempt;
import io.twinbell.persistence.ledger.parked.ParkedAnswer;
import io.twinbell.persistence.ledger.parked.ParkedStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Parks runs, and ends them when they are answered. The row of a parked run decides: the first answer in it counts,
 * whether it comes from the token's holder, from the timeout, or from this node. Only a master applies answers and
 * adopts what earlier masters left parked. One thread steps it.
 */
public final class ParkedAnswers {
    private static final Logger LOG = LoggerFactory.getLogger(ParkedAnswers.class);
    static final int BATCH = 500;
    /** Answers that wait to be recorded are read again, so more of them are read at once. */
    private static final int ANSWERS = 2000;

    private static final Duration KEEP = Duration.ofDays(7);
    private static final long RARELY_NANOS = Duration.ofSeconds(30).toNanos();
    private static final long POLL_NANOS = Duration.ofSeconds(1).toNanos();
    private static final long RETRY_NANOS = Duration.ofMillis(200).toNanos();

    private final ParkedStore store;
    private final ParkedRuns queues;
    private final InFlight inFlight;
    private final RunExecutor executor;
    private final ClaimedRuns intake;
    private final Master master;
    private final Loop loop;

    private final List<Run> toPark = new ArrayList<>();
    private final List<Run> accepted = new ArrayList<>();
    private final List<ParkedRuns.OwnEnd> ends = new ArrayList<>();
    private volatile Epoch firing;
    private volatile boolean isAdopting;
    private long rareNanos;
    /** Parked runs whose rows were missing at the latest look: a promoted database may have lost them. */
    private Set<Slot> missing = Set.of();

    /**
     * What the rest of the engine is told.
     *
     * @param adopted called after runs were adopted, which limits do not count yet
     * @param changed gets the tasks whose claims vanished
     */
    public record Master(SupersededListener superseded, Runnable adopted, LongConsumer changed, Ticker ticker) {}

    public ParkedAnswers(
            ParkedStore store,
            ParkedRuns queues,
            InFlight inFlight,
            RunExecutor executor,
            ClaimedRuns intake,
            Master master,
            Loop loop) {
        this.store = store;
        this.queues = queues;
        this.inFlight = inFlight;
        this.executor = executor;
        this.intake = intake;
        this.master = master;
        this.loop = loop;
        rareNanos = master.ticker().nanos();
    }

    /** Begins a new epoch: from now on the tasks with parked attempts of earlier masters count as running. */
    public void begin(Epoch epoch) {
        inFlight.setTasksToAdopt(store.tasksToAdopt(epoch));
        isAdopting = true;
        firing = epoch;
    }

    /** Stops applying answers. The successor adopts what waits for one. */
    public void stop(Epoch epoch) {
        firing = null;
        inFlight.of(epoch).stream().filter(Run::isOut).forEach(executor::dropParked);
    }

    /** Does one pass; returns how long to sleep if nothing is added, in nanoseconds. */
    public long step() {
        fill(toPark, queues::pollToPark);
        fill(accepted, queues::pollAccepted);
        fill(ends, queues::pollEnd);
        try {
            park();
            setOut();
            endOwn();
            Epoch epoch = firing;
            boolean hasMore = epoch != null && applyAll(epoch);
            return hasMore || isAnyFull() ? 0 : POLL_NANOS;
        } catch (DatabaseUnavailableException e) {
            loop.failed(e);
            return RETRY_NANOS;
        }
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

    /** More may wait in the queues than one batch takes. */
    private boolean isAnyFull() {
        fill(toPark, queues::pollToPark);
        fill(accepted, queues::pollAccepted);
        fill(ends, queues::pollEnd);
        return !toPark.isEmpty() || !accepted.isEmpty() || !ends.isEmpty();
    }

    private static <T> Map<Epoch, List<T>> byEpoch(List<T> batch, Function<T, Run> run) {
        Map<Epoch, List<T>> byEpoch = new LinkedHashMap<>();
        for (T one : batch) {
            byEpoch.computeIfAbsent(run.apply(one).epoch(), epoch -> new ArrayList<>())
                    .add(one);
        }
        return byEpoch;
    }

    private void park() {
        toPark.removeIf(run -> !run.isRunning());
        byEpoch(toPark, Function.identity()).forEach((epoch, runs) -> {
            Optional<Map<Slot, Optional<String>>> parked =
                    store.park(epoch, runs.stream().map(ParkState::request).toList());
            if (parked.isEmpty()) {
                runs.forEach(this::refuse);
                master.superseded().superseded(epoch, runs.size());
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
                master.changed().accept(run.slot().taskId());
            } else if (run.parkState().parked(checkpoint.orElse(null))) {
                called.add(run);
            }
        }
        if (!called.isEmpty()) {
            executor.callParked(called);
        }
    }

    private void refuse(Run run) {
        run.parkState().refused();
        executor.dropParked(run);
    }

    private void setOut() {
        accepted.removeIf(run -> !run.isRunning());
        byEpoch(accepted, Function.identity()).forEach((epoch, runs) -> {
            Map<Slot, Integer> attempts = new HashMap<>();
            runs.forEach(run -> attempts.put(run.slot(), run.attempt().attempt()));
            boolean isAuthorised = store.setOut(epoch, attempts);
            for (Run run : runs) {
                run.parkState().out();
                inFlight.parked(run);
                // Looked at after the mark: stop() drops those that are marked before it.
                if (!isAuthorised || !epoch.equals(firing)) {
                    executor.dropParked(run);
                }
            }
            if (!isAuthorised) {
                master.superseded().superseded(epoch, runs.size());
            }
            accepted.removeAll(runs);
        });
    }

    /** An answer that came before counts instead: the master applies it. */
    private void endOwn() {
        ends.removeIf(end -> !end.run().isRunning());
        byEpoch(ends, ParkedRuns.OwnEnd::run).forEach((epoch, own) -> {
            Set<Slot> answered =
                    store.answer(epoch, own.stream().map(ParkedAnswers::answer).toList());
            for (ParkedRuns.OwnEnd end : own) {
                if (!answered.contains(end.run().slot())) {
                    executor.endParked(end.run(), end.outcome());
                } else if (!epoch.equals(firing)) {
                    executor.dropParked(end.run());
                }
            }
            ends.removeAll(own);
        });
    }

    private static ParkedStore.OwnAnswer answer(ParkedRuns.OwnEnd end) {
        HandlerOutcome outcome = end.outcome();
        String error = outcome.error() == null ? outcome.reason() : outcome.error();
        return new ParkedStore.OwnAnswer(
                end.run().slot(),
                end.run().attempt().attempt(),
                new ParkedAnswer.Outcome(outcome.state(), outcome.output(), error, outcome.errorCode()));
    }

    /** Returns whether there may be more. */
    private boolean applyAll(Epoch epoch) {
        boolean moreToAdopt = isAdopting && adopt(epoch);
        boolean moreExpired = store.expire(epoch, BATCH) == BATCH;
        List<ParkedAnswer> answers = store.answers(ANSWERS);
        answers.forEach(this::apply);
        boolean isRare = master.ticker().nanos() - rareNanos >= RARELY_NANOS;
        if (isRare) {
            rareNanos = master.ticker().nanos();
            isAdopting = true;
            endLost();
        }
        if (isRare || !answers.isEmpty()) {
            store.close(isRare, KEEP);
        }
        return moreToAdopt || moreExpired;
    }

    private void apply(ParkedAnswer answer) {
        Run run = inFlight.find(answer.slot());
        if (run != null && run.isParked() && run.attempt().attempt() == answer.attempt()) {
            executor.endParked(run, outcome(answer.outcome()), answer.answeredMicros());
        }
    }

    /** The outcome of a former master's own answer has no more than its state and text. */
    private static HandlerOutcome outcome(ParkedAnswer.Outcome outcome) {
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

    /** Returns whether there may be more. Nothing starts by this, so it need not wait for the earlier master's end. */
    private boolean adopt(Epoch epoch) {
        int generation = intake.generation();
        List<AdoptedAttempt> adopted = store.adopt(epoch, BATCH);
        List<AdoptedAttempt> unheld = new ArrayList<>();
        for (AdoptedAttempt parked : adopted) {
            Run held = inFlight.find(parked.attempt().slot());
            if (held == null || !held.epoch().equals(epoch)) {
                if (held != null) {
                    executor.dropParked(held);
                }
                unheld.add(parked);
            }
        }
        if (!unheld.isEmpty()) {
            intake.adopt(epoch, unheld, generation);
            LOG.info("{} executions of earlier masters still wait for their receivers", unheld.size());
            master.adopted().run();
        }
        if (adopted.size() < BATCH) {
            isAdopting = false;
            inFlight.setTasksToAdopt(Set.of());
        }
        return isAdopting;
    }

    /** A run whose row is missing at two looks would wait for ever: nobody can answer it. */
    private void endLost() {
        Map<Slot, Run> out = new HashMap<>();
        inFlight.all().stream().filter(Run::isOut).forEach(run -> out.put(run.slot(), run));
        Set<Slot> gone = new HashSet<>(out.keySet());
        if (!gone.isEmpty()) {
            gone.removeAll(store.open(out.keySet()));
        }
        gone.stream()
                .filter(missing::contains)
                .forEach(slot -> executor.endParked(
                        out.get(slot),
                        HandlerOutcome.failed(
                                ErrorCodes.CALLBACK_LOST,
                                "the database lost the token of this attempt, so its receiver cannot answer",
                                null)));
        missing = gone;
    }
}
