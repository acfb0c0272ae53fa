package io.twinbell.node.schedule.recurrence;

import io.twinbell.node.schedule.local.LocalPattern;
import io.twinbell.node.schedule.local.TimeOfDay;
import java.util.function.IntConsumer;

/**
 * The local times of a rule that repeats days, weeks, months or years. Each period has the allowed days, and each day
 * has the same times. A search goes from one allowed day to the next and skips periods that INTERVAL leaves out. So it
 * visits each period at most once.
 */
final class RulePattern implements LocalPattern {
    private static final int NO_DAY = Integer.MIN_VALUE;
    /** How many days a search passes in one step, because it looks at months. */
    static final int DAYS_OF_A_STEP = 256;

    private final RuleDays days;
    private final TimeOfDay times;
    private final int timesOfDay;
    private final int[] places;
    private final Counting counting;
    private final int firstPeriod;
    private final int firstDay;
    private final int lastPeriod;
    private final int lastDay;
    private final IntConsumer work;

    /**
     * The counted periods.
     *
     * @param interval 1 or more
     * @param startDay a day of the first counted period
     * @param lastDay the last day of a search
     * @param weekStart the first day of a week; Sunday is 0
     */
    record Counting(RulePeriod period, int interval, int startDay, int lastDay, int weekStart) {}

    /**
     * @param places the values of BYSETPOS; empty if the rule has none
     * @param work receives the steps of each search forwards
     */
    RulePattern(RuleDays days, TimeOfDay times, int[] places, Counting counting, IntConsumer work) {
        this.days = days;
        this.times = times;
        this.places = places.clone();
        this.counting = counting;
        timesOfDay = times.count();
        this.work = work;
        firstPeriod = periodOf(counting.startDay());
        firstDay = firstOf(firstPeriod);
        lastDay = counting.lastDay();
        lastPeriod = periodOf(lastDay);
    }

    @Override
    public long atOrAfter(long local) {
        int day = firstDay((int) Math.floorDiv(local, SECONDS_PER_DAY));
        while (day != NO_DAY) {
            int period = periodOf(day);
            int counted = countedFrom(period);
            if (counted > period) {
                day = firstDayFrom(counted);
                continue;
            }
            long found = places.length == 0 ? timeFrom(day, local) : placeFrom(period, local);
            if (found != NONE_AFTER) {
                return found;
            }
            day = places.length == 0 ? firstDay(day + 1) : firstDayFrom(countedFrom(period + 1));
        }
        return NONE_AFTER;
    }

    private long timeFrom(int day, long from) {
        long midnight = (long) day * SECONDS_PER_DAY;
        if (midnight >= from) {
            return midnight + times.first();
        }
        int time = times.atOrAfter((int) (from - midnight));
        return time < 0 ? NONE_AFTER : midnight + time;
    }

    private int firstDayFrom(int period) {
        return period > lastPeriod ? NO_DAY : firstDay(firstOf(period));
    }

    private int firstDay(int from) {
        int day = days.firstBetween(from, lastDay);
        work.accept(1 + ((day == NO_DAY ? lastDay : day) - from) / DAYS_OF_A_STEP);
        return day;
    }

    @Override
    public long atOrBefore(long local) {
        int day = lastDay((int) Math.floorDiv(local, SECONDS_PER_DAY));
        while (day != NO_DAY) {
            int period = periodOf(day);
            int counted = period - (period - firstPeriod) % counting.interval();
            if (counted < period) {
                day = lastDay(firstOf(counted + 1) - 1);
                continue;
            }
            long found = places.length == 0 ? timeUpTo(day, local) : placeUpTo(period, local);
            if (found != NONE_BEFORE) {
                return found;
            }
            day = lastDay(places.length == 0 ? day - 1 : firstOf(period) - 1);
        }
        return NONE_BEFORE;
    }

    private long timeUpTo(int day, long upTo) {
        long midnight = (long) day * SECONDS_PER_DAY;
        if (midnight + SECONDS_PER_DAY <= upTo) {
            return midnight + times.last();
        }
        int time = times.atOrBefore((int) (upTo - midnight));
        return time < 0 ? NONE_BEFORE : midnight + time;
    }

    private int lastDay(int upTo) {
        return upTo < firstDay ? NO_DAY : days.lastBetween(firstDay, upTo);
    }

    /** Returns the first local time at or after a time that BYSETPOS selects in a period. */
    private long placeFrom(int period, long from) {
        int first = firstOf(period);
        int last = firstOf(period + 1) - 1;
        work.accept(1 + places.length);
        long size = (long) days.count(first, last) * timesOfDay;
        long found = NONE_AFTER;
        for (int place : places) {
            long at = place(place, size, first, last);
            if (at != NONE_BEFORE && at >= from && at < found) {
                found = at;
            }
        }
        return found;
    }

    private long placeUpTo(int period, long upTo) {
        int first = firstOf(period);
        int last = firstOf(period + 1) - 1;
        long size = (long) days.count(first, last) * timesOfDay;
        long found = NONE_BEFORE;
        for (int place : places) {
            long at = place(place, size, first, last);
            if (at <= upTo && at > found) {
                found = at;
            }
        }
        return found;
    }

    private long place(int place, long size, int first, int last) {
        long index = place > 0 ? place - 1 : size + place;
        if (index < 0 || index >= size) {
            return NONE_BEFORE;
        }
        return (long) days.nth(first, last, (int) (index / timesOfDay)) * SECONDS_PER_DAY
                + times.nth((int) (index % timesOfDay));
    }

    private int periodOf(int day) {
        return counting.period().of(day, counting.weekStart());
    }

    private int firstOf(int period) {
        return counting.period().first(period, counting.weekStart());
    }

    /** Returns the first counted period at or after a period; beyond the last one there may be none. */
    private int countedFrom(int period) {
        if (period <= firstPeriod) {
            return firstPeriod;
        }
        long behind = (period - firstPeriod) % counting.interval();
        long counted = behind == 0 ? period : (long) period + counting.interval() - behind;
        return (int) Math.min(counted, Integer.MAX_VALUE);
    }
}
