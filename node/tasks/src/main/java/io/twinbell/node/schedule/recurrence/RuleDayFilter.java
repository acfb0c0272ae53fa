package io.twinbell.node.schedule.recurrence;

import io.twinbell.node.schedule.recurrence.RecurrenceRule.Part;
import io.twinbell.node.schedule.recurrence.RecurrenceRule.WeekdayNumber;
import java.time.DayOfWeek;
import java.time.LocalDate;
import java.util.BitSet;
import java.util.Set;

/**
 * Decides whether a rule's BY parts allow a day, from the day's position in its month and year alone. Parts that the
 * rule omits come from its start (RFC 5545, 3.3.10). Weekdays are numbered from Sunday, 0.
 */
final class RuleDayFilter {
    private static final int MAX_ORDINAL = 366;

    private final int months;
    private final BitSet monthDays;
    private final BitSet yearDays;
    private final BitSet weeks;
    private final boolean hasWeekdays;
    /** For each weekday its allowed positions; position 0 stands for every such day. */
    private final BitSet[] weekdays = new BitSet[7];

    private final boolean countsInMonths;
    private final boolean countsInYears;
    private final int weekStart;

    /**
     * A kind of year.
     *
     * @param firstWeekday the weekday of the first of January
     * @param leap 1 if the previous year is a leap year, 2 if this one is, 3 if the next one is, otherwise 0
     */
    record YearKind(int firstWeekday, int leap) {
        private static final int[] LENGTHS = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

        int length() {
            return leap == 2 ? 366 : 365;
        }

        int monthLength(int month) {
            return LENGTHS[month - 1] + (month == 2 && leap == 2 ? 1 : 0);
        }

        /** Returns the number of the week that contains a day, from the first week and from the last. */
        int[] week(int dayOfYear, int weekStart) {
            int begin = 1 + firstWeekOffset(firstWeekday, weekStart);
            int end = 1 + length() + firstWeekOffset(firstWeekday + length(), weekStart);
            if (dayOfYear < begin) {
                int previous = leap == 1 ? 366 : 365;
                end = begin;
                begin = 1 - previous + firstWeekOffset(firstWeekday - previous, weekStart);
            } else if (dayOfYear >= end) {
                int next = leap == 3 ? 366 : 365;
                begin = end;
                end = 1 + length() + next + firstWeekOffset(firstWeekday + length() + next, weekStart);
            }
            int week = (dayOfYear - begin) / 7 + 1;
            return new int[] {week, week - 1 - (end - begin) / 7};
        }

        /**
         * Returns the days from the first of January to the first week, which contains the fourth of January;
         * negative if the week begins earlier.
         */
        private static int firstWeekOffset(int weekdayOfJanuary1, int weekStart) {
            return 3 - Math.floorMod(weekdayOfJanuary1 + 3 - weekStart, 7);
        }
    }

    RuleDayFilter(RecurrenceRule rule, LocalDate start) {
        Frequency frequency = rule.frequency();
        boolean isYearly = frequency == Frequency.YEARLY;
        boolean isOpen = !rule.has(Part.BYMONTHDAY)
                && !rule.has(Part.BYYEARDAY)
                && !rule.has(Part.BYWEEKNO)
                && rule.weekdays().isEmpty();
        boolean takesMonthDay = isOpen && (isYearly || frequency == Frequency.MONTHLY);
        boolean takesMonth = isOpen && isYearly && !rule.has(Part.BYMONTH);
        Set<WeekdayNumber> days = isOpen && frequency == Frequency.WEEKLY
                ? Set.of(new WeekdayNumber(0, start.getDayOfWeek()))
                : rule.weekdays();
        months = monthMask(takesMonth ? new int[] {start.getMonthValue()} : rule.values(Part.BYMONTH));
        monthDays = positions(takesMonthDay ? new int[] {start.getDayOfMonth()} : rule.values(Part.BYMONTHDAY));
        yearDays = positions(rule.values(Part.BYYEARDAY));
        weeks = positions(rule.values(Part.BYWEEKNO));
        hasWeekdays = !days.isEmpty();
        for (WeekdayNumber day : days) {
            int weekday = fromSunday(day.day());
            weekdays[weekday] = weekdays[weekday] == null ? new BitSet() : weekdays[weekday];
            weekdays[weekday].set(day.number() + MAX_ORDINAL);
        }
        boolean isNumbered = days.stream().anyMatch(day -> day.number() != 0);
        countsInMonths = frequency == Frequency.MONTHLY || rule.has(Part.BYMONTH);
        countsInYears = rule.has(Part.BYYEARDAY) || rule.has(Part.BYWEEKNO) || isNumbered && !countsInMonths;
        weekStart = fromSunday(rule.weekStart());
    }

    private static int monthMask(int[] values) {
        int mask = values.length == 0 ? 0x1FFE : 0;
        for (int value : values) {
            mask |= 1 << value;
        }
        return mask;
    }

    private static BitSet positions(int[] values) {
        BitSet set = new BitSet();
        for (int value : values) {
            set.set(value + MAX_ORDINAL);
        }
        return set;
    }

    static int fromSunday(DayOfWeek day) {
        return day.getValue() % 7;
    }

    /** Returns bit n for the month n. */
    int months() {
        return months;
    }

    /** Whether a day depends on its position in the year. */
    boolean countsInYears() {
        return countsInYears;
    }

    /** For a rule that does not count in years. */
    boolean allowsInMonth(int day, int length, int weekday) {
        return allows(monthDays, day, length) && allowsWeekday(weekday, day, length);
    }

    /** @param length of the month */
    boolean allowsInYear(int day, int length, int dayOfYear, YearKind year) {
        int weekday = (year.firstWeekday() + dayOfYear - 1) % 7;
        return allows(monthDays, day, length)
                && allows(yearDays, dayOfYear, year.length())
                && (countsInMonths
                        ? allowsWeekday(weekday, day, length)
                        : allowsWeekday(weekday, dayOfYear, year.length()))
                && allowsWeek(dayOfYear, year);
    }

    private boolean allowsWeek(int dayOfYear, YearKind year) {
        if (weeks.isEmpty()) {
            return true;
        }
        int[] week = year.week(dayOfYear, weekStart);
        return weeks.get(week[0] + MAX_ORDINAL) || weeks.get(week[1] + MAX_ORDINAL);
    }

    private boolean allowsWeekday(int weekday, int place, int length) {
        if (!hasWeekdays) {
            return true;
        }
        BitSet positions = weekdays[weekday];
        return positions != null
                && (positions.get(MAX_ORDINAL)
                        || positions.get((place - 1) / 7 + 1 + MAX_ORDINAL)
                        || positions.get(-((length - place) / 7 + 1) + MAX_ORDINAL));
    }

    private static boolean allows(BitSet positions, int place, int length) {
        return positions.isEmpty()
                || positions.get(place + MAX_ORDINAL)
                || positions.get(place - length - 1 + MAX_ORDINAL);
    }
}
