package io.twinbell.node.engine.settle;

import io.twinbell.node.engine.run.Run;
import io.twinbell.node.engine.run.RunRegistry;
import io.twinbell.node.engine.step.TimeSources;
import io.twinbell.node.engine.worker.Workers;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.Attempt;
import io.twinbell.persistence.ledger.claim.Ledger;
import io.twinbell.persistence.ledger.journal.ClaimJournal;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Hands back claims that have not started: first in memory, so that none starts any more, then in the ledger. */
public final class HandBack {
    private static final Duration SLOW = Duration.ofMillis(500);
    /** A statement locks the epoch row, which the successor may be about to change. */
    private static final int BATCH = 500;

    private final Ledger ledger;
    private final ClaimJournal claims;
    private final RunRegistry registry;
    private final Workers workers;
    private final TimeSources clocks;

    public HandBack(Ledger ledger, ClaimJournal claims, RunRegistry registry, Workers workers, TimeSources clocks) {
        this.claims = claims;
        this.ledger = ledger;
        this.registry = registry;
        this.workers = workers;
        this.clocks = clocks;
    }

    /**
     * Hands back all unstarted claims of the epoch but those that fire within {@code kept} from now. Nothing must be
     * claimed meanwhile.
     */
    public void unstarted(Epoch epoch, Duration kept) {
        long nowMillis = clocks.database().nowMillis();
        // What is due already may wait for a worker for long. A later run of its task would overtake it.
        List<Run> waiting = registry.of(epoch).stream().filter(Run::isWaiting).toList();
        Set<Long> late = waiting.stream()
                .filter(run -> run.slot().fireTimeMillis() <= nowMillis)
                .map(run -> run.slot().taskId())
                .collect(Collectors.toSet());
        List<Run> unstarted = waiting.stream()
                .filter(run -> late.contains(run.slot().taskId()) || !isSoon(run, nowMillis, kept))
                .filter(Run::handBack)
                .toList();
        List<Attempt> attempts = unstarted.stream().map(Run::attempt).toList();
        unstarted.forEach(registry::remove);
        workers.forgetHandedBack();
        for (int from = 0; from < attempts.size(); from += BATCH) {
            List<Attempt> batch = attempts.subList(from, Math.min(from + BATCH, attempts.size()));
            write(epoch, batch);
            batch.forEach(attempt -> claims.givenBack(epoch, attempt.slot(), attempt.attempt()));
        }
    }

    /**
     * Whether the run fires within {@code kept} from now and waits for no callback: that would be answered after the
     * hand-over, and the successor would have to adopt the run.
     */
    private static boolean isSoon(Run run, long nowMillis, Duration kept) {
        long fireMillis = run.slot().fireTimeMillis();
        return fireMillis > nowMillis
                && fireMillis <= nowMillis + kept.toMillis()
                && !run.definition().handler().awaitsCallback();
    }

    /**
     * A second write changes nothing, so a failure is retried, unless it was slow: the successor waits for the
     * hand-over.
     */
    private void write(Epoch epoch, List<Attempt> attempts) {
        long began = clocks.monotonic().nanos();
        try {
            ledger.handBack(epoch, attempts);
        } catch (DatabaseUnavailableException e) {
            if (clocks.monotonic().nanos() - began >= SLOW.toNanos()) {
                throw e;
            }
            ledger.handBack(epoch, attempts);
        }
    }
}
