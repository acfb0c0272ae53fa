package io.twinbell.node.calendar.ical;

import io.twinbell.node.engine.task.ScheduleException;
import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.schedule.local.LocalPattern;
import io.twinbell.node.schedule.recurrence.RecurrenceRule;
import io.twinbell.node.schedule.recurrence.RuleCompiler;
import java.time.zone.ZoneRules;
import java.util.function.IntConsumer;
import java.util.function.LongPredicate;

/** Computes the start times of a recurring event, on the wall clock. */
public final class Recurrence {
    /** Steps for one occurrence: the event keeps it in a sorted set, and converts it by the rules of its zone. */
    private static final int OF_AN_OCCURRENCE = 3;

    private Recurrence() {}

    /**
     * Passes the occurrences of one RRULE to a sink, in ascending order. The start is the first one and counts towards
     * COUNT, even if the rule does not match it.
     *
     * @param start the event's DTSTART
     * @param zone the zone of an UNTIL: that of the event; for all-day events, that of the calendar
     * @param latest the last second at which an occurrence may begin
     * @param sink returns whether it accepts more
     * @throws InvalidJsonException if the rule is invalid, or exceeds the file's budget
     */
    public static void expand(
            ContentLine line,
            DateTimeValue start,
            ZoneRules zone,
            long latest,
            ExpansionBudget budget,
            LongPredicate sink) {
        RecurrenceRule rule = rule(line);
        if (start.isDate() && rule.frequency().isShorterThanADay()) {
            throw line.refusal("whole days can't repeat " + rule.frequency());
        }
        long last = Math.min(latest, rule.last(zone));
        IntConsumer work = steps -> budget.steps(steps, line);
        LocalPattern pattern = RuleCompiler.metered(rule, start.wall(), start.isDate(), last, work);
        long remaining = rule.count() == 0 ? Long.MAX_VALUE : rule.count();
        long occurrence = start.wall();
        while (sink.test(occurrence) && --remaining > 0 && occurrence < last) {
            work.accept(OF_AN_OCCURRENCE);
            occurrence = pattern.atOrAfter(occurrence + 1);
            if (occurrence > last) {
                return;
            }
        }
    }

    private static RecurrenceRule rule(ContentLine line) {
        try {
            return new RecurrenceRule(line.value().strip());
        } catch (ScheduleException e) {
            throw line.refusal(e.getMessage());
        }
    }
}
