package io.twinbell.node.engine.definition;

import io.twinbell.node.engine.step.TimeSources;
import io.twinbell.node.engine.trigger.Burst;
import io.twinbell.persistence.ledger.DueTasks;
import io.twinbell.persistence.ledger.HeapPage;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * Has definitions of tasks that share an instant with many others read in the seconds before it, while there is nothing
 * else to do: at the instant itself it is a seventh of what a drain costs. It goes along the due index once, some seconds
 * ahead of the clock, and back only to what was written behind it. The claimer's thread only.
 */
final class BurstPrefetch {
    /** Within these a hundred thousand are read beside usual work. */
    static final Duration AHEAD = Duration.ofSeconds(15);

    static final int PAGE = 1000;
    /** A claim that comes meanwhile waits for no more than these, a millisecond. */
    static final int AT_ONCE = 250;

    private static final long[] NONE = {};
    private static final long NEXT_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long LATER_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final DueTasks table;
    private final TimeSources clocks;
    private final ReadAhead ahead;
    private final Definitions definitions;
    private long[] crowd = NONE;
    private int place;
    private long nextNanos;
    private long afterFireMillis;
    private long afterTaskId;
    /** Nothing that is yet to be looked at is due sooner. */
    private long noneBeforeMillis;
    /** The soonest that was written behind; to be gone back to when all before it has been looked at. */
    private long writtenMillis;

    BurstPrefetch(DueTasks table, TimeSources clocks, ReadAhead ahead, Definitions definitions) {
        this.table = table;
        this.clocks = clocks;
        this.ahead = ahead;
        this.definitions = definitions;
    }

    /** Nothing has been looked at. */
    void begin() {
        crowd = NONE;
        place = 0;
        nextNanos = clocks.monotonic().nanos();
        noneBeforeMillis = TableReads.BEFORE_EVERYTHING;
        goBehind(TableReads.BEFORE_EVERYTHING);
    }

    /** A task that is due then has just been written. */
    void written(long fireMillis) {
        if (fireMillis > afterFireMillis) {
            noneBeforeMillis = Math.min(noneBeforeMillis, fireMillis);
        } else {
            writtenMillis = Math.min(writtenMillis, fireMillis);
        }
    }

    /** Has some read if it is time for more; returns how long until it is, in nanoseconds. */
    long step() {
        long now = clocks.monotonic().nanos();
        if (nextNanos - now > 0) {
            return nextNanos - now;
        }
        long wait = read();
        // What is written meanwhile may be due sooner than what was waited for.
        nextNanos = now + Math.min(wait, LATER_NANOS);
        return wait;
    }

    /** Returns how long to leave it at that. */
    private long read() {
        if (ahead.isBusy()) {
            return NEXT_NANOS;
        }
        if (!ahead.hasRoom()) {
            return LATER_NANOS;
        }
        long now = clocks.database().nowMillis();
        if (place == crowd.length) {
            long wait = Math.min(noneBeforeMillis, writtenMillis) - AHEAD.toMillis() - now;
            if (wait > 0) {
                return Math.max(LATER_NANOS, TimeUnit.MILLISECONDS.toNanos(wait));
            }
            look(now);
        }
        long[] unknown = unknown();
        if (unknown.length > 0) {
            ahead.begin(unknown);
        }
        boolean isMoreNear = place < crowd.length || noneBeforeMillis <= afterFireMillis;
        return isMoreNear ? NEXT_NANOS : LATER_NANOS;
    }

    private void look(long nowMillis) {
        long horizon = nowMillis + AHEAD.toMillis();
        if (noneBeforeMillis > horizon) {
            goBehind(writtenMillis - 1);
        }
        if (afterFireMillis < nowMillis) {
            // What is overdue is claimed already.
            afterFireMillis = nowMillis;
            afterTaskId = 0;
        }
        HeapPage page = table.page(afterFireMillis, afterTaskId, PAGE);
        long[] times = page.fireMillis();
        int near = (int) Arrays.stream(times).takeWhile(time -> time <= horizon).count();
        crowd = crowd(page, near);
        place = 0;
        if (near > 0) {
            afterFireMillis = times[near - 1];
            afterTaskId = page.taskIds()[near - 1];
        }
        if (near == PAGE) {
            noneBeforeMillis = afterFireMillis;
        } else {
            noneBeforeMillis = near == page.size() ? Long.MAX_VALUE : times[near];
        }
    }

    private void goBehind(long fireMillis) {
        afterFireMillis = fireMillis;
        afterTaskId = Long.MAX_VALUE;
        writtenMillis = Long.MAX_VALUE;
    }

    /** Those of the first {@code size} that share their instant with many others of these. */
    private static long[] crowd(HeapPage page, int size) {
        long[] times = page.fireMillis();
        return IntStream.range(0, size)
                .filter(i -> isShared(times, i, size))
                .mapToLong(i -> page.taskIds()[i])
                .toArray();
    }

    /** The times ascend, so those of one instant lie together. */
    private static boolean isShared(long[] times, int i, int size) {
        int first = i;
        while (first > 0 && i - first < Burst.MANY && times[first - 1] == times[i]) {
            first--;
        }
        int last = first + Burst.MANY - 1;
        return last < size && times[last] == times[i];
    }

    private long[] unknown() {
        long[] unknown = new long[AT_ONCE];
        int found = 0;
        while (found < AT_ONCE && place < crowd.length) {
            long id = crowd[place++];
            if (definitions.get(id) == null && !ahead.has(id)) {
                unknown[found++] = id;
            }
        }
        return Arrays.copyOf(unknown, found);
    }
}
