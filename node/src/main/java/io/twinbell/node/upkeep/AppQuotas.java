package io.twinbell.node.upkeep;

import io.twinbell.node.limit.store.AppQuota;
import io.twinbell.node.limit.store.AppQuotaStore;
import io.twinbell.node.loop.Duty;
import io.twinbell.node.loop.Loop;
import io.twinbell.node.loop.ScanPace;
import io.twinbell.persistence.clock.Ticker;
import io.twinbell.persistence.epoch.Epoch;
import java.time.Duration;
import java.util.function.Supplier;

/**
 * While this node is master, applies the configured quotas of apps, and counts every second how much apps use. The
 * database enforces the quotas, so they apply to every way of adding a task.
 */
public final class AppQuotas {
    private static final Duration BETWEEN_COUNTS = Duration.ofSeconds(1);
    private static final Duration AS_STANDBY = Duration.ofSeconds(3);
    private static final Duration BETWEEN_TRIES = Duration.ofSeconds(10);

    private final AppQuotaStore store;
    private final AppQuota quota;
    private final ScanPace pace;
    private final Supplier<Epoch> epoch;
    private final Duty counting;
    private Epoch of;
    private volatile long reached;

    /** @param epoch the epoch under which this node is master, or null */
    public AppQuotas(AppQuotaStore store, AppQuota quota, Ticker ticker, Supplier<Epoch> epoch, Loop loop) {
        this.store = store;
        this.quota = quota;
        this.epoch = epoch;
        counting = new Duty(loop, ticker, BETWEEN_TRIES);
        pace = new ScanPace(ticker);
    }

    /** Counts if it is due; returns how long to rest, in nanoseconds. */
    public long step() {
        Epoch current = epoch.get();
        if (current == null) {
            of = null;
            reached = 0;
            counting.rest();
            return AS_STANDBY.toNanos();
        }
        return counting.run(() -> count(current)) ? BETWEEN_COUNTS.toNanos() : counting.pauseNanos();
    }

    private void count(Epoch current) {
        if (!current.equals(of)) {
            store.put(current, quota);
            of = current;
        }
        if (quota.isStored() && pace.isDue()) {
            reached = pace.run(() -> store.count(current));
        }
    }

    /** How many apps had reached a quota at the last count. */
    public long reached() {
        return reached;
    }
}
