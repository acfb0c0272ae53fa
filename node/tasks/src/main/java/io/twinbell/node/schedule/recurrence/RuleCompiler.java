package io.twinbell.node.schedule.recurrence;

import io.twinbell.node.schedule.local.LocalPattern;
import io.twinbell.node.schedule.local.TimeOfDay;
import io.twinbell.node.schedule.recurrence.RecurrenceRule.Part;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;

/**
 * Compiles a rule into the pattern of its local times, without its COUNT and UNTIL. Only times from the rule's start to
 * a last one may be searched from; what a search finds may lie outside of these.
 */
public final class RuleCompiler {
    /** A rule that needs more steps counts as one that never fires: its INTERVAL hardly ever meets its BY parts. */
    private static final int MAX_STEPS_OF_A_SEARCH = 100_000;

    private static final long EVERY_HOUR = (1L << 24) - 1;
    private static final long EVERY_SIXTIETH = (1L << 60) - 1;

    private final RecurrenceRule rule;
    private final LocalDateTime start;
    private final Frequency frequency;
    private final int[] places;
    private final boolean isDate;
    private final IntConsumer work;
    private final int mostSteps;

    /** Bounds each search by itself, as schedules need it. */
    RuleCompiler(RecurrenceRule rule, LocalDateTime start) {
        this(rule, start, false, steps -> {}, MAX_STEPS_OF_A_SEARCH);
    }

    private RuleCompiler(RecurrenceRule rule, LocalDateTime start, boolean isDate, IntConsumer work, int mostSteps) {
        this.rule = rule;
        this.start = start;
        this.isDate = isDate;
        this.work = work;
        this.mostSteps = mostSteps;
        frequency = rule.frequency();
        places = rule.values(Part.BYSETPOS);
    }

    /**
     * Compiles a rule of a file, whose searches are not bounded by themselves.
     *
     * @param start in the year 0 or later, in seconds since 1970
     * @param isDate whether the start is a date, so that the time parts of the rule are ignored
     * @param last the last time, in seconds since 1970
     * @param work receives the steps that were taken, and throws if they are too many; a step takes about a tenth of a
     *     microsecond
     */
    public static LocalPattern metered(RecurrenceRule rule, long start, boolean isDate, long last, IntConsumer work) {
        LocalDateTime time = LocalDateTime.ofEpochSecond(start, 0, ZoneOffset.UTC);
        return new RuleCompiler(rule, time, isDate, work, Integer.MAX_VALUE).pattern(last);
    }

    /** @param last the last time, in seconds since 1970 */
    LocalPattern pattern(long last) {
        RuleDays days = new RuleDays(rule, start.toLocalDate(), work);
        boolean isShort = frequency.isShorterThanADay();
        boolean isPlain = rule.interval() == 1 && places.length == 0;
        return isShort && !isPlain
                ? shortPattern(days, last)
                : new RulePattern(days, times(), places, counting(isPlain ? RulePeriod.DAY : period(), last), work);
    }

    private RulePattern.Counting counting(RulePeriod period, long last) {
        int startDay = (int) start.toLocalDate().toEpochDay();
        int lastDay = (int) Math.floorDiv(last, LocalPattern.SECONDS_PER_DAY);
        return new RulePattern.Counting(
                period, rule.interval(), startDay, lastDay, RuleDayFilter.fromSunday(rule.weekStart()));
    }

    private RulePeriod period() {
        return switch (frequency) {
            case YEARLY -> rule.has(Part.BYWEEKNO) ? RulePeriod.WEEK_YEAR : RulePeriod.YEAR;
            case MONTHLY -> RulePeriod.MONTH;
            case WEEKLY -> RulePeriod.WEEK;
            default -> RulePeriod.DAY;
        };
    }

    /**
     * The times of each day: those of the BY parts, otherwise that of the start. For periods shorter than a day, all
     * times.
     */
    TimeOfDay times() {
        if (isDate) {
            return new TimeOfDay(1, 1, 1);
        }
        return new TimeOfDay(
                mask(Part.BYSECOND, frequency == Frequency.SECONDLY ? EVERY_SIXTIETH : 1L << start.getSecond()),
                mask(
                        Part.BYMINUTE,
                        frequency.compareTo(Frequency.HOURLY) < 0 ? EVERY_SIXTIETH : 1L << start.getMinute()),
                mask(Part.BYHOUR, frequency.isShorterThanADay() ? EVERY_HOUR : 1L << start.getHour()));
    }

    private long mask(Part part, long ifNotGiven) {
        if (!rule.has(part)) {
            return ifNotGiven;
        }
        return Arrays.stream(rule.values(part)).mapToLong(value -> 1L << value).reduce(0, (a, b) -> a | b);
    }

    private LocalPattern shortPattern(RuleDays days, long last) {
        TimeOfDay times = times();
        boolean isHourly = frequency == Frequency.HOURLY;
        boolean isSecondly = frequency == Frequency.SECONDLY;
        TimeOfDay allowed =
                new TimeOfDay(isSecondly ? times.seconds() : 1, isHourly ? 1 : times.minutes(), times.hours());
        TimeOfDay within = new TimeOfDay(isSecondly ? 1 : times.seconds(), isHourly ? times.minutes() : 1, 1);
        int[] offsets = offsets(within);
        int unit = frequency.seconds();
        long first = LocalTimeText.seconds(start);
        return offsets.length == 0
                ? new BoundedPattern(
                        new RulePattern(days, times, new int[0], counting(RulePeriod.DAY, last), work),
                        first,
                        first - 1)
                : new ShortRulePattern(
                        days,
                        allowed,
                        offsets,
                        first - Math.floorMod(first, unit),
                        (long) unit * rule.interval(),
                        last,
                        mostSteps,
                        work);
    }

    private int[] offsets(TimeOfDay within) {
        int size = within.count();
        work.accept(size);
        int[] positions = places.length == 0
                ? IntStream.range(0, size).toArray()
                : Arrays.stream(places)
                        .map(place -> place > 0 ? place - 1 : size + place)
                        .filter(place -> place >= 0 && place < size)
                        .sorted()
                        .distinct()
                        .toArray();
        return Arrays.stream(positions).map(within::nth).toArray();
    }
}
