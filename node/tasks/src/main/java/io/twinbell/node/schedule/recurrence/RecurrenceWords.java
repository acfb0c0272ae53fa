package io.twinbell.node.schedule.recurrence;

import io.twinbell.node.schedule.local.TimeOfDay;
import io.twinbell.node.schedule.recurrence.RecurrenceRule.Part;
import io.twinbell.node.schedule.recurrence.RecurrenceRule.WeekdayNumber;
import java.time.DayOfWeek;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.Month;
import java.time.format.TextStyle;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/** Describes a recurrence in words: "every 2 weeks on Monday at 09:00, from 2026-01-05". */
final class RecurrenceWords {
    private static final int MAX_TIMES = 4;
    private static final int MAX_ITEMS = 12;
    private static final Set<WeekdayNumber> WORKING_DAYS = Set.of(
            new WeekdayNumber(0, DayOfWeek.MONDAY),
            new WeekdayNumber(0, DayOfWeek.TUESDAY),
            new WeekdayNumber(0, DayOfWeek.WEDNESDAY),
            new WeekdayNumber(0, DayOfWeek.THURSDAY),
            new WeekdayNumber(0, DayOfWeek.FRIDAY));

    private final RecurrenceDefinition definition;
    private final RecurrenceRule rule;
    private final LocalDateTime start;
    private final StringBuilder words = new StringBuilder();

    RecurrenceWords(RecurrenceDefinition definition) {
        this.definition = definition;
        rule = definition.rule();
        start = definition.start().time();
    }

    String words() {
        words.append("every ").append(period());
        days();
        if (rule.has(Part.BYWEEKNO)) {
            words.append(" in week ")
                    .append(list(Part.BYWEEKNO, number -> number > 0 ? String.valueOf(number) : place(number, "")));
        }
        months();
        if (rule.frequency().isShorterThanADay()) {
            shortTimes();
        } else {
            words.append(" at ").append(times());
        }
        if (rule.has(Part.BYSETPOS)) {
            words.append(", only the ")
                    .append(list(Part.BYSETPOS, number -> place(number, "")))
                    .append(" of these each ")
                    .append(unit());
        }
        words.append(", from ").append(start.toLocalDate());
        if (rule.frequency().isShorterThanADay()) {
            words.append(' ').append(start.toLocalTime());
        }
        bounds();
        return words.toString();
    }

    private String period() {
        return rule.interval() == 1 ? unit() : rule.interval() + " " + unit() + "s";
    }

    private String unit() {
        return switch (rule.frequency()) {
            case SECONDLY -> "second";
            case MINUTELY -> "minute";
            case HOURLY -> "hour";
            case DAILY -> "day";
            case WEEKLY -> "week";
            case MONTHLY -> "month";
            case YEARLY -> "year";
        };
    }

    private void days() {
        List<String> conditions = new ArrayList<>();
        if (!rule.weekdays().isEmpty()) {
            conditions.add(weekdays());
        }
        if (rule.has(Part.BYMONTHDAY)) {
            conditions.add("the " + list(Part.BYMONTHDAY, number -> place(number, " day")));
        }
        if (rule.has(Part.BYYEARDAY)) {
            conditions.add("the " + list(Part.BYYEARDAY, number -> place(number, " day")) + " of the year");
        }
        boolean isOpen = conditions.isEmpty() && !rule.has(Part.BYWEEKNO);
        if (isOpen && rule.frequency() == Frequency.WEEKLY) {
            conditions.add(name(start.getDayOfWeek()));
        } else if (isOpen && !rule.frequency().isShorterThanADay() && rule.frequency() != Frequency.DAILY) {
            conditions.add("the " + place(start.getDayOfMonth(), ""));
        }
        if (!conditions.isEmpty()) {
            words.append(" on ").append(String.join(", if that is also ", conditions));
        }
    }

    private String weekdays() {
        if (rule.weekdays().equals(WORKING_DAYS)) {
            return "Monday to Friday";
        }
        List<String> names = rule.weekdays().stream()
                .map(day ->
                        day.number() == 0 ? name(day.day()) : "the " + place(day.number(), "") + " " + name(day.day()))
                .toList();
        return joined(names);
    }

    private static String name(DayOfWeek day) {
        return day.getDisplayName(TextStyle.FULL, Locale.UK);
    }

    private void months() {
        boolean takesMonth = rule.frequency() == Frequency.YEARLY
                && rule.weekdays().isEmpty()
                && Arrays.stream(new Part[] {Part.BYMONTHDAY, Part.BYYEARDAY, Part.BYWEEKNO, Part.BYMONTH})
                        .noneMatch(rule::has);
        if (takesMonth) {
            words.append(" of ").append(month(start.getMonthValue()));
        } else if (rule.has(Part.BYMONTH)) {
            words.append(" in ").append(list(Part.BYMONTH, RecurrenceWords::month));
        }
    }

    private static String month(int number) {
        return Month.of(number).getDisplayName(TextStyle.FULL, Locale.UK);
    }

    private String times() {
        TimeOfDay times = new RuleCompiler(rule, start).times();
        int count = times.count();
        if (count <= MAX_TIMES) {
            return joined(
                    IntStream.range(0, count).mapToObj(i -> time(times.nth(i))).toList());
        }
        return count + " times of the day from " + time(times.first()) + " to " + time(times.last());
    }

    private static String time(int second) {
        return LocalTime.ofSecondOfDay(second).toString();
    }

    private void shortTimes() {
        if (rule.has(Part.BYHOUR)) {
            words.append(" in hour ").append(list(Part.BYHOUR, String::valueOf));
        }
        if (rule.has(Part.BYMINUTE)) {
            words.append(" at minute ").append(list(Part.BYMINUTE, String::valueOf));
        } else if (rule.frequency() == Frequency.HOURLY) {
            words.append(" at minute ").append(start.getMinute());
        }
        if (rule.has(Part.BYSECOND)) {
            words.append(" at second ").append(list(Part.BYSECOND, String::valueOf));
        } else if (rule.frequency() != Frequency.SECONDLY && start.getSecond() != 0) {
            words.append(" at second ").append(start.getSecond());
        }
    }

    private void bounds() {
        if (rule.count() > 0) {
            words.append(", ").append(rule.count() == 1 ? "once" : rule.count() + " times");
        }
        if (rule.until() != null) {
            LocalDateTime until = new LocalTimeText(rule.until().wall(), true).time();
            words.append(", until ")
                    .append(
                            rule.until().isDate()
                                    ? until.toLocalDate()
                                    : until.toLocalDate() + " " + until.toLocalTime())
                    .append(rule.until().isUtc() ? " UTC" : "");
        }
        counted(definition.further().size(), ", and at ", " further time");
        counted(definition.except().size(), ", except at ", " time");
    }

    private void counted(int number, String before, String what) {
        if (number > 0) {
            words.append(before).append(number).append(what).append(number == 1 ? "" : "s");
        }
    }

    private String list(Part part, IntFunction<String> form) {
        return joined(Arrays.stream(rule.values(part)).mapToObj(form).toList());
    }

    private static String joined(List<String> items) {
        int size = items.size();
        if (size == 1) {
            return items.get(0);
        }
        if (size > MAX_ITEMS) {
            return String.join(", ", items.subList(0, MAX_ITEMS - 1)) + " and " + (size - MAX_ITEMS + 1) + " more";
        }
        return String.join(", ", items.subList(0, size - 1)) + " and " + items.get(size - 1);
    }

    /** Such as "2nd", "last" and "3rd last"; the noun follows a place that is counted from the end. */
    private static String place(int number, String noun) {
        if (number == -1) {
            return "last" + noun;
        }
        int absolute = Math.abs(number);
        int tens = absolute % 100;
        String ending = tens >= 11 && tens <= 13
                ? "th"
                : switch (absolute % 10) {
                    case 1 -> "st";
                    case 2 -> "nd";
                    case 3 -> "rd";
                    default -> "th";
                };
        return absolute + ending + (number < 0 ? " last" + noun : "");
    }
}
