package io.twinbell.node.engine;

import io.twinbell.node.engine.run.InFlight;
import io.twinbell.node.engine.step.TimeSources;
import io.twinbell.node.engine.trigger.DueInbox;
import io.twinbell.node.engine.trigger.LookAhead;
import io.twinbell.node.engine.trigger.Trigger;
import io.twinbell.node.engine.worker.WorkerCounts;
import java.util.function.LongUnaryOperator;

/**
 * Measures how late the firing is, from memory alone. The clock goes on by this machine's monotonic one, so the lag grows
 * without a database too. A due slot is in the task heap, on its way to the claimer, in the claimer's hands, or a run that
 * has not started. Any thread.
 */
final class LagMeter {
    private final Trigger trigger;
    private final DueInbox due;
    private final LongUnaryOperator waitingRows;
    private final InFlight inFlight;
    private final WorkerCounts workers;
    private final LookAhead claims;
    private final TimeSources clocks;
    private volatile long beganNanos;

    /** @param waitingRows given the present: since when the oldest of what waits in the ledger or is put off has been due */
    LagMeter(
            Trigger trigger,
            DueInbox due,
            LongUnaryOperator waitingRows,
            InFlight inFlight,
            WorkerCounts workers,
            LookAhead claims,
            TimeSources clocks) {
        this.trigger = trigger;
        this.due = due;
        this.waitingRows = waitingRows;
        this.inFlight = inFlight;
        this.workers = workers;
        this.claims = claims;
        this.clocks = clocks;
        begin();
    }

    /** Firing begins, or goes on after a pause: what is overdue by now has not been stalled since. */
    void begin() {
        beganNanos = clocks.monotonic().nanos();
    }

    FiringLag look() {
        long now = clocks.database().nowMillis();
        InFlight.Oldest held = inFlight.oldest();
        long dueMillis = age(now, Math.min(unclaimedSince(now), held.waitingSinceMillis()));
        long unrecorded = age(now, held.endedMillis());
        return new FiringLag(dueMillis, unrecorded, stalledMillis(dueMillis), unrecordedStalledMillis(unrecorded));
    }

    private long unclaimedSince(long now) {
        return trigger.isFiring()
                ? Math.min(waitingRows.applyAsLong(now), Math.min(trigger.headMillis(), due.oldestMillis()))
                : Long.MAX_VALUE;
    }

    private long unrecordedStalledMillis(long unrecordedMillis) {
        long now = clocks.monotonic().nanos();
        long sinceProgress = Math.min(now - beganNanos, now - inFlight.recordedNanos());
        return Math.min(unrecordedMillis, sinceProgress / 1_000_000);
    }

    private static long age(long now, long sinceMillis) {
        return sinceMillis == Long.MAX_VALUE ? 0 : Math.max(0, now - sinceMillis);
    }

    /** Where every worker is busy, no claim is due: the rest is late, but the node does what it can. */
    private long stalledMillis(long dueMillis) {
        if (!trigger.isFiring() || workers.active() >= workers.size()) {
            return 0;
        }
        long now = clocks.monotonic().nanos();
        long sinceProgress = Math.min(now - beganNanos, now - claims.claimedNanos());
        return Math.min(dueMillis, sinceProgress / 1_000_000);
    }
}
