package io.twinbell.node.engine.settle;

import io.twinbell.node.engine.claim.ClaimedRuns;
import io.twinbell.node.engine.handler.ErrorCodes;
import io.twinbell.node.engine.handler.HandlerOutcome;
import io.twinbell.node.engine.run.Run;
import io.twinbell.node.engine.run.RunRegistry;
import io.twinbell.node.engine.step.SupersededListener;
import io.twinbell.node.engine.worker.CallbackRuns;
import io.twinbell.node.engine.worker.RunExecutor;
import io.twinbell.node.loop.Loop;
import io.twinbell.persistence.clock.Ticker;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.Slot;
import io.twinbell.persistence.ledger.callback.CallbackStore;
import io.twinbell.persistence.ledger.callback.CallbackStore.AdoptedAttempt;
import io.twinbell.persistence.ledger.callback.CallbackStore.CallbackAnswer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Parks attempts, and ends them when they are answered. The first answer in the row of a parked attempt counts, whether
 * it comes from the holder of the token, from the timeout, or from this node. Only a master applies answers and adopts
 * the attempts that earlier masters left parked. One thread steps it.
 */
public final class CallbackAttempts {
    private static final Logger LOG = LoggerFactory.getLogger(CallbackAttempts.class);
    /** The maximum number of attempts that one statement adopts, or answers with TIMED_OUT. */
    private static final int BATCH = 500;
    /**
     * The number of answers read at once. It is large, because answers that are still to be recorded are read again
     * with each call.
     */
    private static final int MAX_ANSWERS = 2000;

    private static final Duration KEEP = Duration.ofDays(7);
    private static final long RARELY_NANOS = Duration.ofSeconds(30).toNanos();
    private static final long POLL_NANOS = Duration.ofSeconds(1).toNanos();
    private static final long RETRY_NANOS = Duration.ofMillis(200).toNanos();

    private final CallbackStore store;
    private final RunRegistry registry;
    private final RunExecutor executor;
    private final Ticker ticker;
    private final Loop loop;
    private final ClaimedRuns claimedRuns;
    private final Runnable onAdopted;
    private final CallbackRunWriter writer;
    private volatile Epoch firing;
    private volatile boolean isAdopting;
    private long rareNanos;
    /** Parked runs whose rows were missing at the latest check: a promoted database may have lost them. */
    private Set<Slot> missing = Set.of();

    /**
     * @param superseded called when a write was refused, because its epoch is superseded
     * @param onAdopted called after runs were adopted, which limits do not count yet
     * @param changed called with each task whose claim vanished
     */
    public CallbackAttempts(
            CallbackStore store,
            CallbackRuns callbackRuns,
            RunRegistry registry,
            RunExecutor executor,
            ClaimedRuns claimedRuns,
            SupersededListener superseded,
            Runnable onAdopted,
            LongConsumer changed,
            Ticker ticker,
            Loop loop) {
        this.store = store;
        this.registry = registry;
        this.executor = executor;
        this.claimedRuns = claimedRuns;
        this.onAdopted = onAdopted;
        this.loop = loop;
        this.ticker = ticker;
        writer = new CallbackRunWriter(
                store, callbackRuns, registry, executor, superseded, changed, epoch -> epoch.equals(firing));
        rareNanos = ticker.nanos();
    }

    /** Begins a new epoch: from now on the tasks with parked attempts of earlier masters count as running. */
    public void begin(Epoch epoch) {
        registry.overlap().setTasksToAdopt(store.tasksToAdopt(epoch));
        isAdopting = true;
        firing = epoch;
    }

    /** Stops applying answers. The successor adopts the attempts that wait for one. */
    public void stop(Epoch epoch) {
        firing = null;
        registry.of(epoch).stream().filter(Run::isAccepted).forEach(executor::dropParked);
    }

    /** Does one pass; returns how long to sleep if nothing is added, in nanoseconds. */
    public long step() {
        try {
            writer.write();
            Epoch epoch = firing;
            boolean hasMore = epoch != null && settle(epoch);
            return hasMore || writer.hasMore() ? 0 : POLL_NANOS;
        } catch (DatabaseUnavailableException e) {
            loop.failed(e);
            return RETRY_NANOS;
        }
    }

    /** Does the work that only a master does; returns whether there may be more. */
    private boolean settle(Epoch epoch) {
        boolean moreToAdopt = adopt(epoch);
        boolean moreExpired = store.expire(epoch, BATCH) == BATCH;
        boolean hasApplied = applyAnswers();
        boolean isRare = ticker.nanos() - rareNanos >= RARELY_NANOS;
        if (isRare) {
            rareNanos = ticker.nanos();
            isAdopting = true;
            endLost();
        }
        if (isRare || hasApplied) {
            store.close(isRare, KEEP);
        }
        return moreToAdopt || moreExpired;
    }

    /**
     * Adopts one batch, if there may be any; returns whether there may be more. This starts nothing, so it need not
     * wait for the end of the earlier master.
     */
    private boolean adopt(Epoch epoch) {
        if (!isAdopting) {
            return false;
        }
        int generation = claimedRuns.generation();
        List<AdoptedAttempt> adopted = store.adopt(epoch, BATCH);
        List<AdoptedAttempt> unheld = new ArrayList<>();
        for (AdoptedAttempt parked : adopted) {
            Run held = registry.find(parked.attempt().slot());
            if (held == null || !held.epoch().equals(epoch)) {
                if (held != null) {
                    executor.dropParked(held);
                }
                unheld.add(parked);
            }
        }
        if (!unheld.isEmpty()) {
            claimedRuns.adopt(epoch, unheld, generation);
            LOG.info("{} executions of earlier masters still wait for their receivers", unheld.size());
            onAdopted.run();
        }
        if (adopted.size() < BATCH) {
            isAdopting = false;
            registry.overlap().setTasksToAdopt(Set.of());
        }
        return isAdopting;
    }

    /** Applies the earliest answers; returns whether there was one. */
    private boolean applyAnswers() {
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
    private void endLost() {
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
