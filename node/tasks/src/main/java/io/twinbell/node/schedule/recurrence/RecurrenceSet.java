package io.twinbell.node.schedule.recurrence;

import io.twinbell.node.schedule.local.LocalPattern;
import java.util.Arrays;

/**
 * The local times of a rule, with further times (RDATE) and without excepted times and days (EXDATE).
 *
 * @param further in ascending order
 * @param exceptTimes in ascending order
 * @param exceptDays since 1970-01-01, in ascending order
 */
record RecurrenceSet(LocalPattern rule, long[] further, long[] exceptTimes, long[] exceptDays) implements LocalPattern {
    @Override
    public long atOrAfter(long local) {
        long at = local;
        while (true) {
            int index = ceiling(further, at);
            long match = Math.min(rule.atOrAfter(at), index == further.length ? NONE_AFTER : further[index]);
            if (match == NONE_AFTER) {
                return NONE_AFTER;
            }
            if (isDayExcepted(match)) {
                at = match - match % SECONDS_PER_DAY + SECONDS_PER_DAY;
            } else if (Arrays.binarySearch(exceptTimes, match) >= 0) {
                at = match + 1;
            } else {
                return match;
            }
        }
    }

    @Override
    public long atOrBefore(long local) {
        long at = local;
        while (true) {
            int index = ceiling(further, at == Long.MAX_VALUE ? at : at + 1) - 1;
            long match = Math.max(rule.atOrBefore(at), index < 0 ? NONE_BEFORE : further[index]);
            if (match == NONE_BEFORE) {
                return NONE_BEFORE;
            }
            if (isDayExcepted(match)) {
                at = match - match % SECONDS_PER_DAY - 1;
            } else if (Arrays.binarySearch(exceptTimes, match) >= 0) {
                at = match - 1;
            } else {
                return match;
            }
        }
    }

    private boolean isDayExcepted(long local) {
        return exceptDays.length > 0 && Arrays.binarySearch(exceptDays, local / SECONDS_PER_DAY) >= 0;
    }

    /** Returns the index of the first value at or after this one, or the number of values. */
    private static int ceiling(long[] sorted, long value) {
        int found = Arrays.binarySearch(sorted, value);
        return found >= 0 ? found : -found - 1;
    }
}
