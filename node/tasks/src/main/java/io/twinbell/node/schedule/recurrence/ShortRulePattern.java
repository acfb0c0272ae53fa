package io.twinbell.node.schedule.recurrence;

import io.twinbell.node.schedule.local.LocalPattern;
import io.twinbell.node.schedule.local.TimeOfDay;
import java.util.Arrays;
import java.util.function.IntConsumer;

/**
 * The local times of a rule that repeats every few hours, minutes or seconds. The periods form a grid on the wall clock.
 * A period that begins at an allowed time of an allowed day has the same offsets as every other one.
 *
 * <p>A search alternates between the next period and the next allowed time until both coincide.
 */
final class ShortRulePattern implements LocalPattern {
    private static final int NO_DAY = Integer.MIN_VALUE;
    private static final int HOUR = 3600;

    private final RuleDays days;
    private final TimeOfDay allowed;
    private final int[] offsets;
    private final long first;
    private final long step;
    private final long last;
    private final int firstDay;
    private final int lastDay;
    private final int mostSteps;
    private final IntConsumer work;

    /**
     * @param allowed the times at which a period may begin
     * @param offsets the times within a period, in ascending order; not empty
     * @param first the beginning of the first period
     * @param step the seconds from one period to the next
     * @param last the last second of a search
     * @param mostSteps of a search; a time that it does not find in these counts as one that never comes
     * @param work receives the steps of each search forwards
     */
    ShortRulePattern(
            RuleDays days,
            TimeOfDay allowed,
            int[] offsets,
            long first,
            long step,
            long last,
            int mostSteps,
            IntConsumer work) {
        this.days = days;
        this.allowed = allowed;
        this.offsets = offsets.clone();
        this.first = first;
        this.step = step;
        this.last = last;
        this.mostSteps = mostSteps;
        this.work = work;
        firstDay = day(first);
        lastDay = day(last);
    }

    @Override
    public long atOrAfter(long local) {
        long period = gridFrom(local - offsets[offsets.length - 1]);
        for (int i = 0; i < mostSteps && period <= last; i++) {
            long open = openFrom(period);
            if (open == NONE_AFTER) {
                return NONE_AFTER;
            }
            if (open > period) {
                period = gridFrom(open);
                continue;
            }
            int at = index(local - period);
            if (at < offsets.length) {
                return period + offsets[at];
            }
            period += step;
        }
        return NONE_AFTER;
    }

    /** Returns the index of the first offset that is not less than this. */
    private int index(long least) {
        int found = Arrays.binarySearch(offsets, (int) Math.max(-1, Math.min(least, HOUR)));
        return found >= 0 ? found : -found - 1;
    }

    private static int day(long local) {
        return (int) Math.floorDiv(local, SECONDS_PER_DAY);
    }

    /** Returns the first allowed time at or after a time. */
    private long openFrom(long local) {
        int day = day(local);
        int found = days.firstBetween(day, lastDay);
        work.accept(1 + ((found == NO_DAY ? lastDay : found) - day) / RulePattern.DAYS_OF_A_STEP);
        if (found == NO_DAY) {
            return NONE_AFTER;
        }
        if (found > day) {
            return (long) found * SECONDS_PER_DAY + allowed.first();
        }
        int time = allowed.atOrAfter(Math.floorMod(local, SECONDS_PER_DAY));
        return time < 0 ? (day + 1L) * SECONDS_PER_DAY : (long) day * SECONDS_PER_DAY + time;
    }

    private long gridFrom(long local) {
        return local <= first ? first : first + (local - first + step - 1) / step * step;
    }

    @Override
    public long atOrBefore(long local) {
        long period = gridUpTo(local);
        for (int i = 0; i < mostSteps && period >= first; i++) {
            long open = openUpTo(period);
            if (open == NONE_BEFORE) {
                return NONE_BEFORE;
            }
            if (open < period) {
                period = gridUpTo(open);
                continue;
            }
            int at = index(local - period + 1) - 1;
            if (at >= 0) {
                return period + offsets[at];
            }
            period -= step;
        }
        return NONE_BEFORE;
    }

    private long openUpTo(long local) {
        int day = day(local);
        int found = days.lastBetween(firstDay, day);
        if (found == NO_DAY) {
            return NONE_BEFORE;
        }
        if (found < day) {
            return (long) found * SECONDS_PER_DAY + allowed.last();
        }
        int time = allowed.atOrBefore(Math.floorMod(local, SECONDS_PER_DAY));
        return time < 0 ? (long) day * SECONDS_PER_DAY - 1 : (long) day * SECONDS_PER_DAY + time;
    }

    /** Returns the last grid point at or before a time; before the first one, an earlier time. */
    private long gridUpTo(long local) {
        return local < first ? first - 1 : first + (local - first) / step * step;
    }
}
