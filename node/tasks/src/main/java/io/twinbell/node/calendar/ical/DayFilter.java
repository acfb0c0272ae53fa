package io.twinbell.node.calendar.ical;

import io.twinbell.node.schedule.recurrence.Frequency;
import io.twinbell.node.schedule.recurrence.RecurrenceRule;
import io.twinbell.node.schedule.recurrence.RecurrenceRule.Part;
import io.twinbell.node.schedule.recurrence.RecurrenceRule.WeekdayNumber;
import java.time.DayOfWeek;
import java.time.LocalDate;
import java.util.BitSet;
import java.util.Set;

/**
 * Filters days by the BY parts of a recurrence rule. Parts that the rule omits come from its start: the day of the
 * month or of the week, and the month (RFC 5545, 3.3.10).
 */
final class DayFilter {
    private final Positions months;
    private final Positions monthDays;
    private final Positions yearDays;
    private final Set<WeekdayNumber> weekdays;
    private final boolean countsInMonths;

    DayFilter(RecurrenceRule rule, LocalDate start) {
        yearDays = new Positions(rule.values(Part.BYYEARDAY));
        boolean isOpen = !rule.has(Part.BYMONTHDAY)
                && !rule.has(Part.BYYEARDAY)
                && !rule.has(Part.BYWEEKNO)
                && rule.weekdays().isEmpty();
        boolean isYearly = rule.frequency() == Frequency.YEARLY;
        boolean takesMonthDay = isOpen && (isYearly || rule.frequency() == Frequency.MONTHLY);
        monthDays = new Positions(takesMonthDay ? new int[] {start.getDayOfMonth()} : rule.values(Part.BYMONTHDAY));
        months = new Positions(
                isOpen && isYearly && !rule.has(Part.BYMONTH)
                        ? new int[] {start.getMonthValue()}
                        : rule.values(Part.BYMONTH));
        weekdays = isOpen && rule.frequency() == Frequency.WEEKLY
                ? Set.of(new WeekdayNumber(0, start.getDayOfWeek()))
                : rule.weekdays();
        countsInMonths = rule.frequency() == Frequency.MONTHLY || rule.has(Part.BYMONTH);
    }

    /** Empty if all days of the month are allowed. */
    int[] monthDays() {
        return monthDays.values;
    }

    boolean allows(LocalDate day) {
        return allowsMonth(day.getMonthValue())
                && monthDays.allow(day.getDayOfMonth(), day.lengthOfMonth())
                && yearDays.allow(day.getDayOfYear(), day.lengthOfYear())
                && allowsWeekday(day);
    }

    boolean allowsMonth(int month) {
        return months.allow(month, 12);
    }

    private boolean allowsWeekday(LocalDate day) {
        if (weekdays.isEmpty()) {
            return true;
        }
        DayOfWeek weekday = day.getDayOfWeek();
        int place = countsInMonths ? day.getDayOfMonth() : day.getDayOfYear();
        int length = countsInMonths ? day.lengthOfMonth() : day.lengthOfYear();
        return weekdays.contains(new WeekdayNumber(0, weekday))
                || weekdays.contains(new WeekdayNumber((place - 1) / 7 + 1, weekday))
                || weekdays.contains(new WeekdayNumber(-((length - place) / 7 + 1), weekday));
    }

    /** Positions counted from 1, or from the end if negative. */
    private static final class Positions {
        private static final int MOST = 366;

        private final int[] values;
        private final BitSet set = new BitSet();

        Positions(int[] values) {
            this.values = values;
            for (int value : values) {
                set.set(value + MOST);
            }
        }

        boolean allow(int place, int length) {
            return values.length == 0 || set.get(place + MOST) || set.get(place - length - 1 + MOST);
        }
    }
}
