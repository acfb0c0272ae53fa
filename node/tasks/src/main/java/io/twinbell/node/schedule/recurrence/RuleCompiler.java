package io.twinbell.node.schedule.recurrence;

import io.twinbell.node.schedule.local.LocalPattern;
import io.twinbell.node.schedule.local.TimeOfDay;
import io.twinbell.node.schedule.recurrence.RecurrenceRule.Part;
import java.time.LocalDateTime;
import java.util.Arrays;
import java.util.stream.IntStream;

/** Compiles a rule into the pattern of its local times, without its COUNT and UNTIL. */
final class RuleCompiler {
    private static final long EVERY_HOUR = (1L << 24) - 1;
    private static final long EVERY_SIXTIETH = (1L << 60) - 1;

    private final RecurrenceRule rule;
    private final LocalDateTime start;
    private final Frequency frequency;
    private final int[] places;

    RuleCompiler(RecurrenceRule rule, LocalDateTime start) {
        this.rule = rule;
        this.start = start;
        frequency = rule.frequency();
        places = rule.values(Part.BYSETPOS);
    }

    LocalPattern pattern() {
        RuleDays days = new RuleDays(rule, start.toLocalDate());
        boolean isShort = frequency.isShorterThanADay();
        boolean isPlain = rule.interval() == 1 && places.length == 0;
        return isShort && !isPlain
                ? shortPattern(days)
                : new RulePattern(days, times(), places, counting(isPlain ? RulePeriod.DAY : period()));
    }

    private RulePattern.Counting counting(RulePeriod period) {
        int startDay = (int) start.toLocalDate().toEpochDay();
        return new RulePattern.Counting(period, rule.interval(), startDay, RuleDayFilter.fromSunday(rule.weekStart()));
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

    private LocalPattern shortPattern(RuleDays days) {
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
                ? new BoundedPattern(new RulePattern(days, times, new int[0], counting(RulePeriod.DAY)), 0, -1)
                : new ShortRulePattern(days, allowed, offsets, first - first % unit, (long) unit * rule.interval());
    }

    private int[] offsets(TimeOfDay within) {
        int size = within.count();
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
