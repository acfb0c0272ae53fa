package io.twinbell.node.upkeep;

import io.twinbell.node.cluster.store.ActivityMinutes;
import io.twinbell.node.cluster.store.ActivityMinutes.ActivityMinute;
import io.twinbell.node.loop.Loop;
import io.twinbell.node.metrics.EngineTotals;
import io.twinbell.persistence.clock.DatabaseClock;
import io.twinbell.persistence.clock.Ticker;
import io.twinbell.persistence.epoch.Epoch;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Stores what this node does as master, minute by minute. The current minute is stored every 5 s, so a node that is
 * killed loses the numbers of 5 s at most. These numbers are for people: nothing decides by them.
 */
public final class ActivityRecorder {
    private static final long MINUTE = Duration.ofMinutes(1).toMillis();
    private static final long HOUR = Duration.ofHours(1).toMillis();
    private static final long BETWEEN_WRITES = Duration.ofSeconds(5).toMillis();
    /** Attempts that are retried count too, so fewer failures within a minute prove nothing. */
    private static final long TELLING = 20;

    /** Minutes that wait for the database. The oldest are dropped. */
    private static final int MAX_WAITING = 60;

    private final ActivityMinutes minutes;
    private final Supplier<EngineTotals> totals;
    private final String node;
    private final DatabaseClock clock;
    private final Ticker ticker;
    private final Supplier<Epoch> epoch;
    private final Loop loop;
    private final Deque<ActivityMinute> waiting = new ArrayDeque<>();
    private EngineTotals atStart;
    private Epoch of;
    private long minute;
    private long dueNanos;
    private volatile String failing;

    /** @param epoch supplies this node's epoch while it is master, otherwise null */
    public ActivityRecorder(
            ActivityMinutes minutes,
            Supplier<EngineTotals> totals,
            String node,
            DatabaseClock clock,
            Ticker ticker,
            Supplier<Epoch> epoch,
            Loop loop) {
        this.minutes = minutes;
        this.totals = totals;
        this.node = node;
        this.clock = clock;
        this.ticker = ticker;
        this.epoch = epoch;
        this.loop = loop;
        atStart = totals.get();
        dueNanos = ticker.nanos();
    }

    /** Stores the numbers if that is due; returns how long until then, in nanoseconds. */
    public long step() {
        Epoch current = epoch.get();
        long now = ticker.nanos();
        if (Objects.equals(current, of) && now < dueNanos) {
            return dueNanos - now;
        }
        long millis = clock.nowMillis();
        record(current, Math.floorDiv(millis, MINUTE) * MINUTE);
        // The next write is no later than the end of the minute, so that each minute gets its own numbers.
        long rest = Math.min(BETWEEN_WRITES, MINUTE - Math.floorMod(millis, MINUTE));
        dueNanos = now + Duration.ofMillis(rest).toNanos();
        return dueNanos - now;
    }

    private void record(Epoch current, long currentMinute) {
        EngineTotals reading = totals.get();
        boolean isOver = !Objects.equals(current, of) || currentMinute != minute;
        if (of != null) {
            EngineTotals done = reading.minus(atStart);
            ActivityMinute row = new ActivityMinute(
                    minute, of.number(), node, done.counts(), done.latenessMillis(0.5), done.latenessMillis(0.99));
            judge(row.counts(), isOver);
            if (!store(row) && isOver) {
                waiting.add(row);
            }
        }
        if (isOver) {
            atStart = reading;
            of = current;
            minute = currentMinute;
        }
        if (current == null) {
            failing = null;
        }
        while (waiting.size() > MAX_WAITING) {
            waiting.remove();
        }
    }

    private void judge(EngineTotals.Counts done, boolean isOver) {
        long ended = done.succeeded() + done.failed();
        if (isOver || ended >= TELLING) {
            failing = done.failed() >= TELLING && done.failed() > 2 * done.succeeded()
                    ? done.failed() + " of " + ended + " attempts that ended within a minute failed"
                    : null;
        }
    }

    /** Says that more than two thirds of this master's latest attempts failed; empty if fewer did. */
    public Optional<String> failing() {
        return Optional.ofNullable(failing);
    }

    private boolean store(ActivityMinute row) {
        List<ActivityMinute> rows = new ArrayList<>(waiting);
        rows.add(row);
        return loop.run(() -> {
            minutes.put(rows);
            waiting.clear();
            if (row.minuteMillis() % HOUR == 0) {
                minutes.forgetBefore(row.minuteMillis() - ActivityMinutes.KEPT.toMillis());
            }
        });
    }
}
