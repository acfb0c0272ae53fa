package io.twinbell.node.calendar.ical;

import io.twinbell.node.json.InvalidJsonException;
import java.time.zone.ZoneRules;
import java.util.function.LongPredicate;

/** When an event that repeats begins, on the wall clock. */
public final class Recurrence {
    private Recurrence() {}

    /**
     * Gives what one RRULE says to a sink, in ascending order, the start first.
     *
     * @param start the event's DTSTART
     * @param zone where an UNTIL is meant: that of the event, for whole days that of the calendar
     * @param sink returns whether it wants more
     * @throws InvalidJsonException if it is no rule, or takes more steps than the file may cause
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
     * What bounds an expansion.
     *
     * @param last the last second at which an occurrence may begin
     */
    public record Window(long last, ExpansionBudget budget) {}
}
