package io.twinbell.node.calendar.ical;

import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.schedule.recurrence.Frequency;
import io.twinbell.node.schedule.recurrence.RecurrenceRule;
import io.twinbell.node.schedule.recurrence.RecurrenceRule.Part;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.Year;
import java.time.YearMonth;
import java.util.Arrays;
import java.util.function.LongPredicate;

/**
 * Expands a recurrence rule on the wall clock, period by period. It filters the days of a period, and keeps the times
 * of a day separately. So BYSETPOS can select from all combinations without building them.
 */
final class RuleExpansion {
    private static final int DAY = 24 * 3600;
    private static final int[] MIDNIGHT = {0};

    /** Steps for one year without its candidates: up to twelve months are visited. */
    private static final int OF_A_YEAR = 4;
    /** Steps for all candidates of one period together. */
    private static final int OF_A_PERIOD = 2;
    /** Steps for one occurrence: the event keeps it in a sorted set, and converts it by the rules of its zone. */
    private static final int OF_AN_OCCURRENCE = 3;

    private final RecurrenceRule rule;
    private final ContentLine line;
    private final DayFilter filter;
    private final long start;
    private final LocalDate startDay;
    private final LocalTime startTime;
    private final boolean isDate;
    private final long last;
    private final LongPredicate sink;
    private final ExpansionBudget budget;
    private final int[] times;
    private final Candidates candidates = new Candidates();
    private long remaining;

    /** @param sink receives each occurrence in ascending order, and returns whether it accepts more */
    private RuleExpansion(
            RecurrenceRule rule,
            ContentLine line,
            DateTimeValue start,
            Recurrence.ExpansionBounds window,
            LongPredicate sink) {
        this.rule = rule;
        this.line = line;
        this.start = start.wall();
        this.isDate = start.isDate();
        this.last = window.last();
        this.budget = window.budget();
        this.sink = sink;
        startDay = LocalDate.ofEpochDay(Math.floorDiv(start.wall(), DAY));
        startTime = LocalTime.ofSecondOfDay(Math.floorMod(start.wall(), DAY));
        filter = new DayFilter(rule, startDay);
        remaining = rule.count() == 0 ? Long.MAX_VALUE : rule.count();
        times = times();
    }

    /**
     * Passes all occurrences to the sink. The start is the first one and counts towards COUNT, even if the rule does
     * not match it.
     *
     * @throws InvalidJsonException if the expansion exceeds the file's budget
     */
    static void expand(
            RecurrenceRule rule,
            ContentLine line,
            DateTimeValue start,
            Recurrence.ExpansionBounds window,
            LongPredicate sink) {
        new RuleExpansion(rule, line, start, window, sink).expand();
    }

    private void expand() {
        remaining--;
        if (!sink.test(start)) {
            return;
        }
        switch (rule.frequency()) {
            case YEARLY -> years();
            case MONTHLY -> months();
            case WEEKLY -> weeks();
            case DAILY -> days();
            default -> shortPeriods();
        }
    }

    private void years() {
        boolean isByWeeks = rule.has(Part.BYWEEKNO);
        // A week belongs to the year that contains most of it, so the first or last days of a year may belong to
        // another.
        long year = isByWeeks ? weekYear(startDay) : startDay.getYear();
        int lastYear = LocalDate.ofEpochDay(Math.floorDiv(last, DAY)).getYear() + 1;
        for (boolean wantsMore = true; wantsMore && year <= lastYear; year += rule.interval()) {
            budget.steps(OF_A_YEAR, line);
            candidates.clear();
            if (isByWeeks) {
                weeksOf((int) year);
            } else if (rule.has(Part.BYYEARDAY)) {
                yearDays(Year.of((int) year));
            } else {
                for (int month = 1; month <= 12; month++) {
                    if (filter.allowsMonth(month)) {
                        monthDays(YearMonth.of((int) year, month));
                    }
                }
            }
            wantsMore = candidates.emit(times);
        }
    }

    private void yearDays(Year year) {
        budget.steps(rule.values(Part.BYYEARDAY).length, line);
        for (int value : rule.values(Part.BYYEARDAY)) {
            int day = value > 0 ? value : year.length() + 1 + value;
            if (day >= 1 && day <= year.length()) {
                candidates.add(year.atDay(day));
            }
        }
    }

    private void monthDays(YearMonth month) {
        int length = month.lengthOfMonth();
        int[] values = filter.monthDays();
        for (int i = 0; i < (values.length == 0 ? length : values.length); i++) {
            int value = values.length == 0 ? i + 1 : values[i];
            int day = value > 0 ? value : length + 1 + value;
            if (day >= 1 && day <= length) {
                candidates.add(month.atDay(day));
            }
        }
        budget.step(line);
    }

    private void weeksOf(int year) {
        LocalDate first = firstWeek(year);
        int weeks = (int) (firstWeek(year + 1).toEpochDay() - first.toEpochDay()) / 7;
        for (int value : rule.values(Part.BYWEEKNO)) {
            int week = value > 0 ? value : weeks + 1 + value;
            for (int day = 0; week >= 1 && week <= weeks && day < 7; day++) {
                candidates.add(first.plusDays((week - 1) * 7L + day));
            }
        }
        budget.steps(rule.values(Part.BYWEEKNO).length, line);
    }

    private int weekYear(LocalDate day) {
        int year = day.getYear();
        if (!day.isBefore(firstWeek(year + 1))) {
            return year + 1;
        }
        return day.isBefore(firstWeek(year)) ? year - 1 : year;
    }

    /** The first week has at least four days in its year, so it contains the fourth of January. */
    private LocalDate firstWeek(int year) {
        return weekOf(LocalDate.of(year, 1, 4));
    }

    private LocalDate weekOf(LocalDate day) {
        return day.minusDays(
                Math.floorMod(day.getDayOfWeek().getValue() - rule.weekStart().getValue(), 7));
    }

    private void months() {
        long first = startDay.getYear() * 12L + startDay.getMonthValue() - 1;
        long lastMonth = LocalDate.ofEpochDay(Math.floorDiv(last, DAY)).getYear() * 12L + 11;
        boolean wantsMore = true;
        for (long month = first; wantsMore && month <= lastMonth; month += rule.interval()) {
            budget.step(line);
            if (filter.allowsMonth((int) (month % 12) + 1)) {
                candidates.clear();
                monthDays(YearMonth.of((int) (month / 12), (int) (month % 12) + 1));
                wantsMore = candidates.emit(times);
            }
        }
    }

    private void weeks() {
        boolean wantsMore = true;
        for (long day = weekOf(startDay).toEpochDay(); wantsMore && day * DAY <= last; day += 7L * rule.interval()) {
            candidates.clear();
            for (int i = 0; i < 7; i++) {
                candidates.add(LocalDate.ofEpochDay(day + i));
            }
            wantsMore = candidates.emit(times);
        }
    }

    private void days() {
        boolean wantsMore = true;
        for (long day = startDay.toEpochDay(); wantsMore && day * DAY <= last; day += rule.interval()) {
            candidates.clear();
            candidates.add(LocalDate.ofEpochDay(day));
            wantsMore = candidates.emit(times);
        }
    }

    /** Expands hours, minutes and seconds. Days that the filter excludes are skipped as a whole. */
    private void shortPeriods() {
        int unit = rule.frequency().seconds();
        long step = (long) unit * rule.interval();
        long period = start - Math.floorMod(start, unit);
        boolean wantsMore = true;
        long today = Long.MIN_VALUE;
        while (wantsMore && period <= last) {
            budget.step(line);
            long day = Math.floorDiv(period, DAY);
            if (day != today && !filter.allows(LocalDate.ofEpochDay(day))) {
                long untilTomorrow = (day + 1) * DAY - period;
                period += (untilTomorrow + step - 1) / step * step;
                continue;
            }
            today = day;
            if (allowsTime(Math.floorMod(period, DAY))) {
                candidates.clear();
                candidates.addStart(period);
                wantsMore = candidates.emit(times);
            }
            period += step;
        }
    }

    private boolean allowsTime(int second) {
        Frequency frequency = rule.frequency();
        return allows(Part.BYHOUR, second / 3600)
                && (frequency == Frequency.HOURLY || allows(Part.BYMINUTE, second / 60 % 60))
                && (frequency != Frequency.SECONDLY || allows(Part.BYSECOND, second % 60));
    }

    private boolean allows(Part part, int value) {
        return !rule.has(part) || Arrays.binarySearch(rule.values(part), value) >= 0;
    }

    /**
     * Returns seconds after the start of a day, or of a shorter period. A date has no time, so the time parts are
     * ignored.
     */
    private int[] times() {
        if (isDate) {
            return MIDNIGHT;
        }
        int period = Math.min(DAY, Math.max(1, rule.frequency().seconds()));
        int[] hours = values(Part.BYHOUR, startTime.getHour(), period == DAY || isLong());
        int[] minutes = values(Part.BYMINUTE, startTime.getMinute(), period >= 3600 || isLong());
        int[] seconds = values(Part.BYSECOND, startTime.getSecond(), period >= 60 || isLong());
        int[] all = new int[hours.length * minutes.length * seconds.length];
        budget.steps(all.length, line);
        int size = 0;
        for (int hour : hours) {
            for (int minute : minutes) {
                for (int second : seconds) {
                    all[size++] = (hour * 60 + minute) * 60 + second;
                }
            }
        }
        return all;
    }

    private boolean isLong() {
        return !rule.frequency().isShorterThanADay();
    }

    private int[] values(Part part, int ofStart, boolean isExpanded) {
        if (!isExpanded) {
            return MIDNIGHT;
        }
        return rule.has(part) ? rule.values(part) : new int[] {ofStart};
    }

    /** @return whether the sink accepts more */
    private boolean offer(long occurrence) {
        budget.steps(OF_AN_OCCURRENCE, line);
        if (occurrence <= start) {
            return true;
        }
        if (occurrence > last || remaining == 0) {
            return false;
        }
        remaining--;
        return sink.test(occurrence);
    }

    /** The days of one period, or the start of a shorter period. */
    private final class Candidates {
        private long[] starts = new long[8];
        private int size;
        private boolean isSorted;

        void clear() {
            size = 0;
            isSorted = true;
        }

        void add(LocalDate day) {
            budget.step(line);
            if (filter.allows(day)) {
                addStart(day.toEpochDay() * DAY);
            }
        }

        void addStart(long second) {
            if (size == starts.length) {
                starts = Arrays.copyOf(starts, size * 2);
            }
            isSorted &= size == 0 || starts[size - 1] < second;
            starts[size++] = second;
        }

        /** @return whether the sink accepts more */
        boolean emit(int[] offsets) {
            budget.steps(OF_A_PERIOD, line);
            if (!isSorted) {
                sort();
            }
            return rule.has(Part.BYSETPOS) ? emitPlaces(offsets) : emitAll(offsets);
        }

        /** Sorts the candidates and removes duplicates. */
        private void sort() {
            Arrays.sort(starts, 0, size);
            int kept = 0;
            for (int i = 0; i < size; i++) {
                if (i == 0 || starts[i] != starts[kept - 1]) {
                    starts[kept++] = starts[i];
                }
            }
            size = kept;
        }

        private boolean emitAll(int[] offsets) {
            for (int at = 0; at < size; at++) {
                long begin = starts[at];
                for (int i = begin + DAY <= start ? offsets.length : 0; i < offsets.length; i++) {
                    if (!offer(begin + offsets[i])) {
                        return false;
                    }
                }
            }
            return true;
        }

        private boolean emitPlaces(int[] offsets) {
            budget.steps(8 + rule.values(Part.BYSETPOS).length, line);
            int all = size * offsets.length;
            int[] places = Arrays.stream(rule.values(Part.BYSETPOS))
                    .map(place -> place > 0 ? place - 1 : all + place)
                    .filter(place -> place >= 0 && place < all)
                    .sorted()
                    .distinct()
                    .toArray();
            for (int place : places) {
                if (!offer(starts[place / offsets.length] + offsets[place % offsets.length])) {
                    return false;
                }
            }
            return true;
        }
    }
}
