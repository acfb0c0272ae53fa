package io.twinbell.node.schedule.recurrence;

import io.twinbell.node.engine.task.ScheduleException;
import io.twinbell.node.schedule.text.Digits;
import io.twinbell.node.schedule.text.SafeQuote;
import java.time.DayOfWeek;
import java.time.zone.ZoneRules;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** A parsed recurrence rule, checked against RFC 5545, 3.3.10. */
public final class RecurrenceRule {
    private static final List<String> DAYS = List.of("MO", "TU", "WE", "TH", "FR", "SA", "SU");
    private static final int MAX_NUMBER_LENGTH = 10;

    private final Map<String, String> given = new HashMap<>();
    private final Frequency frequency;
    private final int interval;
    private final int count;
    private final BasicTime until;
    private final DayOfWeek weekStart;
    private final Set<WeekdayNumber> weekdays;
    private final Map<Part, int[]> parts = new EnumMap<>(Part.class);

    /** A BY part whose values are numbers. */
    public enum Part {
        BYSECOND(0, 60),
        BYMINUTE(0, 59),
        BYHOUR(0, 23),
        BYMONTHDAY(-31, 31),
        BYYEARDAY(-366, 366),
        BYWEEKNO(-53, 53),
        BYMONTH(1, 12),
        BYSETPOS(-366, 366);

        private final int least;
        private final int most;

        Part(int least, int most) {
            this.least = least;
            this.most = most;
        }

        private boolean allows(int value) {
            return value >= least && value <= most && (value != 0 || least == 0);
        }
    }

    /**
     * A value of BYDAY.
     *
     * @param number the position within the month or the year, counted from its end if negative; 0 for every such
     *     weekday
     */
    public record WeekdayNumber(int number, DayOfWeek day) {}

    /**
     * @param text the value of an RRULE property, such as {@code FREQ=MONTHLY;BYDAY=-1FR}
     * @throws ScheduleException if it is not a valid rule
     */
    public RecurrenceRule(String text) {
        split(text);
        frequency = readFrequency();
        interval = positive("INTERVAL", 1);
        count = positive("COUNT", 0);
        until = given.containsKey("UNTIL") ? BasicTime.of(take("UNTIL")) : null;
        weekStart = given.containsKey("WKST") ? day(take("WKST")) : DayOfWeek.MONDAY;
        weekdays = readWeekdays();
        for (Part part : Part.values()) {
            parts.put(part, numbers(part));
        }
        checkScale();
        if (!given.isEmpty()) {
            throw refusal(SafeQuote.of(given.keySet().iterator().next()) + " is not a part of a rule");
        }
        checkCombination();
    }

    private void split(String text) {
        for (String part : text.split(";", -1)) {
            int equals = part.indexOf('=');
            if (equals < 1 || equals == part.length() - 1) {
                throw refusal(SafeQuote.of(part) + " has no value; a rule looks like FREQ=YEARLY;BYMONTH=12");
            }
            String name = part.substring(0, equals).toUpperCase(Locale.ROOT);
            if (given.put(name, part.substring(equals + 1).toUpperCase(Locale.ROOT)) != null) {
                throw refusal(SafeQuote.of(name) + " is given twice");
            }
        }
    }

    private String take(String name) {
        return given.remove(name);
    }

    private Frequency readFrequency() {
        String name = take("FREQ");
        for (Frequency known : Frequency.values()) {
            if (known.name().equals(name)) {
                return known;
            }
        }
        throw refusal(
                name == null
                        ? "the rule has no FREQ"
                        : "FREQ " + SafeQuote.of(name) + " is not one of " + Arrays.toString(Frequency.values()));
    }

    private int positive(String name, int otherwise) {
        String text = take(name);
        if (text == null) {
            return otherwise;
        }
        int value = number(name, text);
        if (value < 1) {
            throw refusal(name + " must be 1 or more");
        }
        return value;
    }

    private int number(String name, String text) {
        boolean isSigned = text.startsWith("+") || text.startsWith("-");
        int from = isSigned ? 1 : 0;
        if (text.length() == from
                || text.length() > MAX_NUMBER_LENGTH + from
                || !Digits.are(text, from, text.length() - from)) {
            throw refusal(name + ": " + SafeQuote.of(text) + " is not a number");
        }
        long value = Long.parseLong(text);
        if (value != (int) value) {
            throw refusal(name + ": " + text + " is more than " + Integer.MAX_VALUE);
        }
        return (int) value;
    }

    private int[] numbers(Part part) {
        String text = take(part.name());
        if (text == null) {
            return new int[0];
        }
        Set<Integer> numbers = new TreeSet<>();
        for (String item : text.split(",", -1)) {
            int value = number(part.name(), item);
            if (!part.allows(value)) {
                throw refusal(part + " must be from " + part.least + " to " + part.most
                        + (part.least < 0 ? " and not 0, not " : ", not ") + value);
            }
            numbers.add(part == Part.BYSECOND ? Math.min(59, value) : value);
        }
        return numbers.stream().mapToInt(Integer::intValue).toArray();
    }

    private DayOfWeek day(String text) {
        int day = DAYS.indexOf(text);
        if (day < 0) {
            throw refusal(SafeQuote.of(text) + " is not one of the days " + String.join(", ", DAYS));
        }
        return DayOfWeek.of(day + 1);
    }

    private Set<WeekdayNumber> readWeekdays() {
        String text = take("BYDAY");
        Set<WeekdayNumber> found = new LinkedHashSet<>();
        for (String item : text == null ? new String[0] : text.split(",", -1)) {
            int split = Math.max(0, item.length() - 2);
            DayOfWeek day = day(item.substring(split));
            int number = split == 0 ? 0 : number("BYDAY", item.substring(0, split));
            if (split > 0 && (number == 0 || Math.abs(number) > 53)) {
                throw refusal("a number in BYDAY must be from -53 to 53 and not 0, not " + number);
            }
            found.add(new WeekdayNumber(number, day));
        }
        return found;
    }

    /** Refuses the extensions of RFC 7529: other calendars, and moving days that do not exist. */
    private void checkScale() {
        String scale = take("RSCALE");
        String skip = take("SKIP");
        if (scale != null && !scale.equals("GREGORIAN") || skip != null && !skip.equals("OMIT")) {
            throw refusal("RSCALE other than GREGORIAN, and SKIP other than OMIT, are not supported");
        }
    }

    private void checkCombination() {
        refuseIf(count > 0 && until != null, "COUNT and UNTIL can't be combined");
        refuseIf(has(Part.BYWEEKNO) && frequency != Frequency.YEARLY, "BYWEEKNO requires FREQ=YEARLY");
        refuseIf(
                has(Part.BYYEARDAY)
                        && List.of(Frequency.DAILY, Frequency.WEEKLY, Frequency.MONTHLY)
                                .contains(frequency),
                "BYYEARDAY requires FREQ=YEARLY, HOURLY, MINUTELY or SECONDLY");
        refuseIf(
                has(Part.BYMONTHDAY) && frequency == Frequency.WEEKLY, "BYMONTHDAY can't be combined with FREQ=WEEKLY");
        boolean isNumbered = weekdays.stream().anyMatch(day -> day.number() != 0);
        refuseIf(
                isNumbered && frequency != Frequency.MONTHLY && frequency != Frequency.YEARLY,
                "a number in BYDAY requires FREQ=MONTHLY or FREQ=YEARLY");
        refuseIf(isNumbered && has(Part.BYWEEKNO), "a number in BYDAY can't be combined with BYWEEKNO");
        boolean isAlone = weekdays.isEmpty()
                && parts.entrySet().stream()
                        .allMatch(part -> part.getKey() == Part.BYSETPOS || part.getValue().length == 0);
        refuseIf(has(Part.BYSETPOS) && isAlone, "BYSETPOS requires another BY part");
    }

    private static ScheduleException refusal(String detail) {
        return new ScheduleException("", detail);
    }

    private static void refuseIf(boolean isWrong, String detail) {
        if (isWrong) {
            throw refusal(detail);
        }
    }

    public Frequency frequency() {
        return frequency;
    }

    public int interval() {
        return interval;
    }

    /** Returns 0 if the rule has no COUNT. */
    public int count() {
        return count;
    }

    /** Returns null if the rule has no UNTIL. */
    public BasicTime until() {
        return until;
    }

    /**
     * Returns the last second at which an occurrence may begin, on the wall clock of a zone; a date without a time
     * includes the whole day.
     */
    public long last(ZoneRules zone) {
        if (until == null) {
            return Long.MAX_VALUE;
        }
        return until.isDate() ? until.wall() + 24 * 3600 - 1 : until.wallIn(zone);
    }

    public DayOfWeek weekStart() {
        return weekStart;
    }

    public Set<WeekdayNumber> weekdays() {
        return weekdays;
    }

    public boolean has(Part part) {
        return parts.get(part).length > 0;
    }

    /** Returns the values in ascending order without duplicates; empty if the rule has no such part. */
    public int[] values(Part part) {
        return parts.get(part);
    }
}
