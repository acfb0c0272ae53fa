package io.twinbell.node.engine;

import io.twinbell.node.engine.run.RunRegistry;
import io.twinbell.node.engine.step.TimeSources;
import io.twinbell.node.engine.trigger.DueInbox;
import io.twinbell.node.engine.trigger.LookAhead;
import io.twinbell.node.engine.trigger.Trigger;
import io.twinbell.node.engine.worker.Workers;
import java.util.function.LongUnaryOperator;

/**
 * Measures how late the firing is, from memory alone. Time advances with this machine's monotonic clock, so the lag
 * grows even while the database does not answer. A due slot is in the task heap, in the due inbox, in the claimer's
 * current batch, or is a run that has not started. Any thread.
 */
final class LagMeter {
    private final Trigger trigger;
    private final DueInbox due;
    private final LongUnaryOperator waitingRows;
    private final RunRegistry registry;
    private final Workers workers;
    private final LookAhead claims;
    private final TimeSources clocks;
    private volatile long beganNanos;

    /**
     * @param waitingRows maps the current time to the due time of the oldest row that waits in the ledger or is
     *     postponed
     */
    LagMeter(
            Trigger trigger,
            DueInbox due,
            LongUnaryOperator waitingRows,
            RunRegistry registry,
            Workers workers,
            LookAhead claims,
            TimeSources clocks) {
        this.trigger = trigger;
        this.due = due;
        this.waitingRows = waitingRows;
        this.registry = registry;
        this.workers = workers;
        this.claims = claims;
        this.clocks = clocks;
        begin();
    }

    /**
     * Starts measuring when firing begins or resumes: slots that are overdue by now have not been stalled since their
     * fire time.
     */
    void begin() {
        beganNanos = clocks.monotonic().nanos();
    }

    FiringLag measure() {
        long now = clocks.database().nowMillis();
        RunRegistry.OldestUnrecorded held = registry.oldest();
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
        long sinceProgress = Math.min(now - beganNanos, now - registry.recordedNanos());
        return Math.min(unrecordedMillis, sinceProgress / 1_000_000);
    }

    private static long age(long now, long sinceMillis) {
        return sinceMillis == Long.MAX_VALUE ? 0 : Math.max(0, now - sinceMillis);
    }

    /** While every worker is busy, no claim is expected: the remaining slots are late, but the node is not stalled. */
    private long stalledMillis(long dueMillis) {
        if (!trigger.isFiring() || workers.active() >= workers.size()) {
            return 0;
        }
        long now = clocks.monotonic().nanos();
        long sinceProgress = Math.min(now - beganNanos, now - claims.claimedNanos());
        return Math.min(dueMillis, sinceProgress / 1_000_000);
    }
}
