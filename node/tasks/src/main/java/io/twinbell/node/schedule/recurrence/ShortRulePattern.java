package io.twinbell.node.schedule.recurrence;

import io.twinbell.node.schedule.local.LocalPattern;
import io.twinbell.node.schedule.local.TimeOfDay;

/**
 * The local times of a rule that repeats every few hours, minutes or seconds. The periods form a grid on the wall clock.
 * A period that begins at an allowed time of an allowed day has the same offsets as every other one.
 *
 * <p>A search alternates between the next period and the next allowed time until both coincide, at most {@value
 * #MAX_STEPS} times. A rule that would fire only after these counts as one that never fires: its INTERVAL hardly ever
 * meets its BY parts.
 */
final class ShortRulePattern implements LocalPattern {
    private static final int MAX_STEPS = 100_000;
    private static final int NO_DAY = Integer.MIN_VALUE;
    private static final int LAST_DAY = (int) (END / SECONDS_PER_DAY) - 1;
    private static final int HOUR = 3600;

    private final RuleDays days;
    private final TimeOfDay allowed;
    private final int[] offsets;
    private final long first;
    private final long step;

    /**
     * @param allowed the times at which a period may begin
     * @param offsets the times within a period, in ascending order; not empty
     * @param first the beginning of the first period
     * @param step the seconds from one period to the next
     */
    ShortRulePattern(RuleDays days, TimeOfDay allowed, int[] offsets, long first, long step) {
        this.days = days;
        this.allowed = allowed;
        this.offsets = offsets.clone();
        this.first = first;
        this.step = step;
    }

    @Override
    public long atOrAfter(long local) {
        if (local >= END) {
            return NONE_AFTER;
        }
        // A period is at most an hour long, so no earlier one contains this time.
        long period = gridFrom(local - HOUR + 1);
        for (int i = 0; i < MAX_STEPS && period < END; i++) {
            long open = openFrom(period);
            if (open == NONE_AFTER) {
                return NONE_AFTER;
            }
            if (open > period) {
                period = gridFrom(open);
                continue;
            }
            for (int offset : offsets) {
                if (period + offset >= local) {
                    return period + offset;
                }
            }
            period += step;
        }
        return NONE_AFTER;
    }

    /** Returns the first allowed time at or after a time. */
    private long openFrom(long local) {
        int day = (int) (local / SECONDS_PER_DAY);
        int found = days.firstBetween(day, LAST_DAY);
        if (found == NO_DAY) {
            return NONE_AFTER;
        }
        if (found > day) {
            return (long) found * SECONDS_PER_DAY + allowed.first();
        }
        int time = allowed.atOrAfter((int) (local % SECONDS_PER_DAY));
        return time < 0 ? (day + 1L) * SECONDS_PER_DAY : (long) day * SECONDS_PER_DAY + time;
    }

    private long gridFrom(long local) {
        return local <= first ? first : first + (local - first + step - 1) / step * step;
    }

    @Override
    public long atOrBefore(long local) {
        long period = gridUpTo(Math.min(local, END - 1));
        for (int i = 0; i < MAX_STEPS && period >= first; i++) {
            long open = openUpTo(period);
            if (open == NONE_BEFORE) {
                return NONE_BEFORE;
            }
            if (open < period) {
                period = gridUpTo(open);
                continue;
            }
            for (int k = offsets.length - 1; k >= 0; k--) {
                if (period + offsets[k] <= local) {
                    return period + offsets[k];
                }
            }
            period -= step;
        }
        return NONE_BEFORE;
    }

    private long openUpTo(long local) {
        int day = (int) (local / SECONDS_PER_DAY);
        int found = days.lastBetween(0, day);
        if (found == NO_DAY) {
            return NONE_BEFORE;
        }
        if (found < day) {
            return (long) found * SECONDS_PER_DAY + allowed.last();
        }
        int time = allowed.atOrBefore((int) (local % SECONDS_PER_DAY));
        return time < 0 ? (long) day * SECONDS_PER_DAY - 1 : (long) day * SECONDS_PER_DAY + time;
    }

    /** Returns the last grid point at or before a time; before the first one, an earlier time. */
    private long gridUpTo(long local) {
        return local < first ? first - 1 : first + (local - first) / step * step;
    }
}
