package io.twinbell.node.schedule.recurrence;

import io.twinbell.node.engine.task.ScheduleException;
import io.twinbell.node.schedule.local.LocalPattern;
import java.time.LocalTime;
import java.time.zone.ZoneRules;
import java.util.Arrays;
import java.util.List;

/**
 * A rule with its start, further times and exceptions.
 *
 * <p>The start gives the rule its grid and the parts that it omits. It fires only if the rule matches it. COUNT counts
 * the rule's own times: exceptions are included, further times are not.
 *
 * @param further as dates, they mean the start's time of day
 * @param except as dates, they mean the whole day
 */
public record RecurrenceDefinition(
        RecurrenceRule rule, LocalTimeText start, List<LocalTimeText> further, List<LocalTimeText> except) {
    /** The greatest COUNT, because the last time is found by counting. */
    private static final int MAX_COUNT = 1_000;

    private static final long LAST = LocalPattern.END - 1;

    /** @throws ScheduleException naming {@code /rrule} if COUNT is too large */
    public RecurrenceDefinition {
        if (rule.count() > MAX_COUNT) {
            throw new ScheduleException(
                    "/rrule", "COUNT is " + rule.count() + ", more than " + MAX_COUNT + ": use UNTIL instead");
        }
        further = List.copyOf(further);
        except = List.copyOf(except);
    }

    /** Whether the rule means an interval and not fixed times of the day, so that clock changes do not move it. */
    public boolean followsRealTime() {
        return rule.frequency().isShorterThanADay();
    }

    /** Returns the maximum number of fire times of the rule in one day. */
    public int timesOfDay() {
        return new RuleCompiler(rule, start.time()).times().count();
    }

    /** @param zone of an UNTIL in UTC */
    public LocalPattern pattern(ZoneRules zone) {
        long first = start.seconds();
        long last = Math.min(rule.last(zone), LAST);
        LocalPattern pattern = new BoundedPattern(new RuleCompiler(rule, start.time()).pattern(last), first, last);
        LocalPattern bounded =
                rule.count() > 0 ? new BoundedPattern(pattern, first, lastCounted(pattern, first)) : pattern;
        if (further.isEmpty() && except.isEmpty()) {
            return bounded;
        }
        LocalTime ofDate = start.time().toLocalTime();
        return new RecurrenceSet(
                bounded,
                further.stream()
                        .mapToLong(time -> time.seconds(ofDate))
                        .sorted()
                        .toArray(),
                except.stream()
                        .filter(time -> !time.isDate())
                        .mapToLong(LocalTimeText::seconds)
                        .sorted()
                        .toArray(),
                except.stream()
                        .filter(LocalTimeText::isDate)
                        .mapToLong(LocalTimeText::day)
                        .sorted()
                        .toArray());
    }

    private long lastCounted(LocalPattern pattern, long first) {
        long last = first - 1;
        for (int i = 0; i < rule.count(); i++) {
            long next = pattern.atOrAfter(last + 1);
            if (next == LocalPattern.NONE_AFTER) {
                return last;
            }
            last = next;
        }
        return last;
    }

    /** Describes the recurrence in words, without its zone. */
    public String words() {
        return new RecurrenceWords(this).words();
    }

    /**
     * The local times of a rule, with further times (RDATE) and without excepted times and days (EXDATE).
     *
     * @param further in ascending order
     * @param exceptTimes in ascending order
     * @param exceptDays since 1970-01-01, in ascending order
     */
    private record RecurrenceSet(LocalPattern rule, long[] further, long[] exceptTimes, long[] exceptDays)
            implements LocalPattern {
        @Override
        public long atOrAfter(long local) {
            long at = local;
            while (true) {
                int index = ceiling(further, at);
                long match = Math.min(rule.atOrAfter(at), index == further.length ? NONE_AFTER : further[index]);
                if (match == NONE_AFTER) {
                    return NONE_AFTER;
                }
                if (isDayExcepted(match)) {
                    at = match - match % SECONDS_PER_DAY + SECONDS_PER_DAY;
                } else if (Arrays.binarySearch(exceptTimes, match) >= 0) {
                    at = match + 1;
                } else {
                    return match;
                }
            }
        }

        @Override
        public long atOrBefore(long local) {
            long at = local;
            while (true) {
                int index = ceiling(further, at == Long.MAX_VALUE ? at : at + 1) - 1;
                long match = Math.max(rule.atOrBefore(at), index < 0 ? NONE_BEFORE : further[index]);
                if (match == NONE_BEFORE) {
                    return NONE_BEFORE;
                }
                if (isDayExcepted(match)) {
                    at = match - match % SECONDS_PER_DAY - 1;
                } else if (Arrays.binarySearch(exceptTimes, match) >= 0) {
                    at = match - 1;
                } else {
                    return match;
                }
            }
        }

        private boolean isDayExcepted(long local) {
            return exceptDays.length > 0 && Arrays.binarySearch(exceptDays, local / SECONDS_PER_DAY) >= 0;
        }

        /** Returns the index of the first value at or after this one, or the number of values. */
        private static int ceiling(long[] sorted, long value) {
            int found = Arrays.binarySearch(sorted, value);
            return found >= 0 ? found : -found - 1;
        }
    }
}
