package io.twinbell.node.schedule.recurrence;

import io.twinbell.node.schedule.local.BitMasks;
import io.twinbell.node.schedule.local.CivilDate;
import java.time.LocalDate;
import java.util.function.IntConsumer;

/**
 * The days that the BY parts of a rule allow, as one bit mask for each month, so that a search looks at months and not
 * at days. Days are counted from 1970-01-01.
 *
 * <p>For most rules, the mask of a month depends on the weekday of its first day and on its length: there are 28 masks.
 * For a rule that counts within the year (BYYEARDAY, BYWEEKNO, a number in BYDAY without months) there are 28 kinds of
 * years. They differ in the weekday of the first of January, and in which of the previous, this and the next year is a
 * leap year.
 */
final class RuleDays {
    private static final int KINDS = 28;
    private static final int SHORTEST_MONTH = 28;
    /** The steps to compute the masks of all kinds of months, or of all kinds of years. */
    private static final int STEPS_OF_MONTHS = 100;

    private static final int STEPS_OF_YEARS = 1_000;

    private final int months;
    private final int[] byMonth;
    private final int[][] byYear;

    RuleDays(RecurrenceRule rule, LocalDate start, IntConsumer work) {
        RuleDayFilter filter = new RuleDayFilter(rule, start);
        work.accept(filter.countsInYears() ? STEPS_OF_YEARS : STEPS_OF_MONTHS);
        months = filter.months();
        byMonth = filter.countsInYears() ? null : monthMasks(filter);
        byYear = filter.countsInYears() ? yearMasks(filter) : null;
    }

    private static int[] monthMasks(RuleDayFilter filter) {
        int[] masks = new int[KINDS];
        for (int kind = 0; kind < KINDS; kind++) {
            int length = SHORTEST_MONTH + kind % 4;
            for (int day = 1; day <= length; day++) {
                if (filter.allowsInMonth(day, length, (kind / 4 + day - 1) % 7)) {
                    masks[kind] |= 1 << day;
                }
            }
        }
        return masks;
    }

    private static int[][] yearMasks(RuleDayFilter filter) {
        int[][] masks = new int[KINDS][12];
        for (int kind = 0; kind < KINDS; kind++) {
            RuleDayFilter.YearKind year = new RuleDayFilter.YearKind(kind / 4, kind % 4);
            int dayOfYear = 1;
            for (int month = 1; month <= 12; month++) {
                int length = year.monthLength(month);
                for (int day = 1; day <= length; day++) {
                    if (filter.allowsInYear(day, length, dayOfYear++, year)) {
                        masks[kind][month - 1] |= 1 << day;
                    }
                }
            }
        }
        return masks;
    }

    /** Returns bit n for the day n of the month. */
    private int in(int year, int month, int firstDay) {
        if (!BitMasks.has(months, month)) {
            return 0;
        }
        if (byYear == null) {
            return byMonth[CivilDate.weekday(firstDay) * 4 + CivilDate.monthLength(year, month) - SHORTEST_MONTH];
        }
        return byYear[kind(year)][month - 1];
    }

    private static int kind(int year) {
        int leap = isLeap(year - 1) ? 1 : isLeap(year) ? 2 : isLeap(year + 1) ? 3 : 0;
        return CivilDate.weekday(CivilDate.epochDay(year, 1, 1)) * 4 + leap;
    }

    private static boolean isLeap(int year) {
        return CivilDate.monthLength(year, 2) == 29;
    }

    /** Returns the first allowed day between two days, both included, or {@link Integer#MIN_VALUE}. */
    int firstBetween(int from, int to) {
        int date = CivilDate.date(from);
        int year = CivilDate.year(date);
        int month = CivilDate.month(date);
        int first = from - CivilDate.day(date) + 1;
        int rest = -1 << CivilDate.day(date);
        while (first <= to) {
            int found = in(year, month, first) & rest;
            if (found != 0) {
                int day = first + BitMasks.lowest(found) - 1;
                return day <= to ? day : Integer.MIN_VALUE;
            }
            int later = months >>> month + 1;
            int next = later == 0 ? BitMasks.lowest(months) : month + 1 + BitMasks.lowest(later);
            year += later == 0 ? 1 : 0;
            first = next == month + 1 ? first + CivilDate.monthLength(year, month) : CivilDate.epochDay(year, next, 1);
            month = next;
            rest = -1;
        }
        return Integer.MIN_VALUE;
    }

    /** Returns the last allowed day between two days, both included, or {@link Integer#MIN_VALUE}. */
    int lastBetween(int from, int to) {
        int date = CivilDate.date(to);
        int year = CivilDate.year(date);
        int month = CivilDate.month(date);
        int first = to - CivilDate.day(date) + 1;
        long rest = (2L << CivilDate.day(date)) - 1;
        while (true) {
            long found = in(year, month, first) & rest & 0xFFFF_FFFFL;
            if (found != 0) {
                int day = first + BitMasks.highest(found) - 1;
                return day >= from ? day : Integer.MIN_VALUE;
            }
            if (first <= from) {
                return Integer.MIN_VALUE;
            }
            int earlier = months & (1 << month) - 1;
            year -= earlier == 0 ? 1 : 0;
            month = BitMasks.highest(earlier == 0 ? months : earlier);
            first = CivilDate.epochDay(year, month, 1);
            rest = -1L;
        }
    }

    /** Returns the number of allowed days between two days, both included. */
    int count(int from, int to) {
        return (int) walk(from, to, Integer.MAX_VALUE);
    }

    /** Returns an allowed day by its position between two days that contain it, counted from 0. */
    int nth(int from, int to, int position) {
        return (int) walk(from, to, position);
    }

    /** Returns the allowed day at that position, or the number of allowed days if there are not that many. */
    private long walk(int from, int to, int position) {
        int date = CivilDate.date(from);
        int year = CivilDate.year(date);
        int month = CivilDate.month(date);
        int first = from - CivilDate.day(date) + 1;
        int rest = -1 << CivilDate.day(date);
        int count = 0;
        while (first <= to) {
            long found = in(year, month, first) & rest & (to - first + 1 < 31 ? (2L << to - first + 1) - 1 : -1L);
            found &= 0xFFFF_FFFFL;
            int size = Long.bitCount(found);
            if (position - count < size) {
                return first + BitMasks.nth(found, position - count) - 1;
            }
            count += size;
            first += CivilDate.monthLength(year, month);
            year += month / 12;
            month = month % 12 + 1;
            rest = -1;
        }
        return count;
    }
}
