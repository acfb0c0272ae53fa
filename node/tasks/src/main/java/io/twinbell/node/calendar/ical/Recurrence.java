package io.twinbell.node.calendar.ical;

import io.twinbell.node.engine.task.ScheduleException;
import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.schedule.recurrence.RecurrenceRule;
import java.time.zone.ZoneRules;
import java.util.function.LongPredicate;

/** Computes the start times of a recurring event, on the wall clock. */
public final class Recurrence {
    private Recurrence() {}

    /**
     * Passes the occurrences of one RRULE to a sink, in ascending order, the start first.
     *
     * @param start the event's DTSTART
     * @param zone the zone of an UNTIL: that of the event; for all-day events, that of the calendar
     * @param sink returns whether it accepts more
     * @throws InvalidJsonException if the rule is invalid, or exceeds the file's budget
     */
    public static void expand(
            ContentLine line, DateTimeValue start, ZoneRules zone, ExpansionBounds window, LongPredicate sink) {
        RecurrenceRule rule = rule(line);
        if (start.isDate() && rule.frequency().isShorterThanADay()) {
            throw line.refusal("whole days can't repeat " + rule.frequency());
        }
        long last = Math.min(window.last(), rule.last(zone));
        RuleExpansion.expand(rule, line, start, new ExpansionBounds(last, window.budget()), sink);
    }

    /** @throws InvalidJsonException if the value of the property is not a valid rule */
    static RecurrenceRule rule(ContentLine line) {
        try {
            return new RecurrenceRule(line.value().strip());
        } catch (ScheduleException e) {
            throw line.refusal(e.getMessage());
        }
    }

    /**
     * The bounds of an expansion.
     *
     * @param last the last second at which an occurrence may begin
     */
    public record ExpansionBounds(long last, ExpansionBudget budget) {}
}
