package io.twinbell.node.calendar.ical;

import io.twinbell.node.json.InvalidJsonException;
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
            ContentLine line, DateTimeValue start, ZoneRules zone, Window window, LongPredicate sink) {
        RecurrenceRule rule = new RecurrenceRule(line);
        if (start.isDate() && rule.frequency().isShorterThanADay()) {
            throw line.refusal("whole days can't repeat " + rule.frequency());
        }
        long last = Math.min(window.last(), rule.last(zone));
        RuleExpansion.expand(rule, start, new Window(last, window.budget()), sink);
    }

    /**
     * The bounds of an expansion.
     *
     * @param last the last second at which an occurrence may begin
     */
    public record Window(long last, ExpansionBudget budget) {}
}
