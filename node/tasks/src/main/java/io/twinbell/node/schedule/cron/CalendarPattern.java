package io.twinbell.node.schedule.cron;

import io.twinbell.node.schedule.local.BitMasks;
import io.twinbell.node.schedule.local.CivilDate;
import io.twinbell.node.schedule.local.LocalPattern;
import io.twinbell.node.schedule.local.TimeOfDay;
import java.util.Arrays;

/**
 * A compiled cron expression in local time, without a zone: one bit mask per field. Local times are seconds since
 * 1970-01-01T00:00 on the wall clock. It covers the years 1970 to 2199. Each search visits a month at most once, so it
 * takes at most 2,760 steps.
 */
public final class CalendarPattern implements LocalPattern {
    private final TimeOfDay time;
    private final DayTable days;
    private final long months;
    private final long[] years;

    /**
     * @param months bit n for the month n
     * @param years bit n for the year 1970 + n
     */
    CalendarPattern(TimeOfDay time, DayTable days, long months, long[] years) {
        this.time = time;
        this.days = days;
        this.months = months;
        this.years = years.clone();
    }

    @Override
    public long atOrAfter(long local) {
        long from = Math.max(local, 0);
        if (from >= END) {
            return NONE_AFTER;
        }
        int epochDay = (int) (from / SECONDS_PER_DAY);
        int date = CivilDate.date(epochDay);
        if (contains(date, epochDay)) {
            int second = time.atOrAfter((int) (from % SECONDS_PER_DAY));
            if (second >= 0) {
                return (long) epochDay * SECONDS_PER_DAY + second;
            }
        }
        int day = dayFrom(CivilDate.year(date), CivilDate.month(date), CivilDate.day(date) + 1);
        return day < 0 ? NONE_AFTER : (long) day * SECONDS_PER_DAY + time.first();
    }

    @Override
    public long atOrBefore(long local) {
        long from = Math.min(local, END - 1);
        if (from < 0) {
            return NONE_BEFORE;
        }
        int epochDay = (int) (from / SECONDS_PER_DAY);
        int date = CivilDate.date(epochDay);
        if (contains(date, epochDay)) {
            int second = time.atOrBefore((int) (from % SECONDS_PER_DAY));
            if (second >= 0) {
                return (long) epochDay * SECONDS_PER_DAY + second;
            }
        }
        int day = dayUpTo(CivilDate.year(date), CivilDate.month(date), CivilDate.day(date) - 1);
        return day < 0 ? NONE_BEFORE : (long) day * SECONDS_PER_DAY + time.last();
    }

    boolean sameAs(CalendarPattern other) {
        return time.equals(other.time)
                && days.sameAs(other.days)
                && months == other.months
                && Arrays.equals(years, other.years);
    }

    private boolean contains(int date, int epochDay) {
        int month = CivilDate.month(date);
        int day = CivilDate.day(date);
        if (!hasYear(CivilDate.year(date)) || !BitMasks.has(months, month)) {
            return false;
        }
        int firstWeekday = CivilDate.weekday(epochDay - day + 1);
        return BitMasks.has(days.in(firstWeekday, CivilDate.monthLength(CivilDate.year(date), month)), day);
    }

    /** Returns the first matching day at or after the given one (which may be one past the month's end), or -1. */
    private int dayFrom(int year, int month, int day) {
        for (int y = year; y <= LAST_YEAR; y++) {
            if (!hasYear(y)) {
                continue;
            }
            long rest = y == year ? months & -1L << month : months;
            for (; rest != 0; rest &= rest - 1) {
                int m = BitMasks.lowest(rest);
                int first = CivilDate.epochDay(y, m, 1);
                long found = daysOf(y, m, first) & (y == year && m == month ? -1L << day : -1L);
                if (found != 0) {
                    return first + BitMasks.lowest(found) - 1;
                }
            }
        }
        return -1;
    }

    /** Returns the last matching day at or before the given one (which may be 0), or -1. */
    private int dayUpTo(int year, int month, int day) {
        for (int y = year; y >= FIRST_YEAR; y--) {
            if (!hasYear(y)) {
                continue;
            }
            long rest = y == year ? months & (1L << month + 1) - 1 : months;
            for (; rest != 0; rest ^= Long.highestOneBit(rest)) {
                int m = BitMasks.highest(rest);
                int first = CivilDate.epochDay(y, m, 1);
                long found = daysOf(y, m, first) & (y == year && m == month ? (1L << day + 1) - 1 : -1L);
                if (found != 0) {
                    return first + BitMasks.highest(found) - 1;
                }
            }
        }
        return -1;
    }

    private long daysOf(int year, int month, int firstEpochDay) {
        return days.in(CivilDate.weekday(firstEpochDay), CivilDate.monthLength(year, month));
    }

    private boolean hasYear(int year) {
        int index = year - FIRST_YEAR;
        return index >> 6 < years.length && BitMasks.has(years[index >> 6], index);
    }

    /**
     * The matching days of a cron expression for every type of month. The weekday of the first day and the length of the
     * month determine the result of all day fields, so 28 masks cover every month, and a search needs one lookup per
     * month.
     */
    static final class DayTable {
        private static final int SHORTEST_MONTH = 28;

        private final int[] masks = new int[7 * 4];

        DayTable(DayOfMonth dayOfMonth, DayOfWeek dayOfWeek, boolean eitherIsEnough) {
            for (int kind = 0; kind < masks.length; kind++) {
                int firstWeekday = kind / 4;
                int length = SHORTEST_MONTH + kind % 4;
                long byMonth = dayOfMonth.in(firstWeekday, length);
                long byWeek = dayOfWeek.in(firstWeekday, length);
                boolean either = eitherIsEnough && dayOfMonth.restricted() && dayOfWeek.restricted();
                masks[kind] = (int) (either ? byMonth | byWeek : byMonth & byWeek);
            }
        }

        /** Returns bit n for the day n, 1 to 31. */
        long in(int firstWeekday, int length) {
            return masks[firstWeekday * 4 + length - SHORTEST_MONTH] & 0xFFFF_FFFFL;
        }

        boolean sameAs(DayTable other) {
            return Arrays.equals(masks, other.masks);
        }
    }
}
