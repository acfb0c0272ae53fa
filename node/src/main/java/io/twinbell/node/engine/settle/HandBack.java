package io.twinbell.node.engine.settle;

import io.twinbell.node.engine.run.InFlight;
import io.twinbell.node.engine.run.Run;
import io.twinbell.node.engine.worker.Workers;
import io.twinbell.persistence.clock.Ticker;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.Attempt;
import io.twinbell.persistence.ledger.claim.Ledger;
import io.twinbell.persistence.ledger.journal.ClaimCheck;
import java.time.Duration;
import java.util.List;

/** Hands back claims that have not started: first in memory, so that none starts any more, then in the ledger. */
public final class HandBack {
    private static final Duration SLOW = Duration.ofMillis(500);

    private final Ledger ledger;
    private final ClaimCheck claims;
    private final InFlight inFlight;
    private final Workers workers;
    private final Ticker ticker;

    public HandBack(Ledger ledger, ClaimCheck claims, InFlight inFlight, Workers workers, Ticker ticker) {
        this.claims = claims;
        this.ledger = ledger;
        this.inFlight = inFlight;
        this.workers = workers;
        this.ticker = ticker;
    }

    /** Hands back all unstarted claims of the epoch. Nothing must be claimed meanwhile. */
    public void unstarted(Epoch epoch) {
        List<Run> unstarted = inFlight.of(epoch).stream().filter(Run::handBack).toList();
        List<Attempt> attempts = unstarted.stream().map(Run::attempt).toList();
        unstarted.forEach(inFlight::remove);
        workers.forgetHandedBack();
        if (!attempts.isEmpty()) {
            write(epoch, attempts);
            attempts.forEach(attempt -> claims.givenBack(epoch, attempt.slot(), attempt.attempt()));
        }
    }

    /**
     * A second write changes nothing, so a failure is retried, unless it was slow: the successor waits for the
     * hand-over.
     */
    private void write(Epoch epoch, List<Attempt> attempts) {
        long began = ticker.nanos();
        try {
            ledger.handBack(epoch, attempts);
        } catch (DatabaseUnavailableException e) {
            if (ticker.nanos() - began >= SLOW.toNanos()) {
                throw e;
            }
            ledger.handBack(epoch, attempts);
        }
    }
}
