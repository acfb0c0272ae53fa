package io.twinbell.node.api.slot;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.engine.task.Schedule;
import io.twinbell.node.json.Instants;
import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.json.StrictJson;
import io.twinbell.node.schedule.Calendars;
import io.twinbell.node.schedule.text.Interval;
import io.twinbell.node.task.TaskReader;
import io.twinbell.persistence.task.Task;
import java.util.ArrayList;
import java.util.List;

/**
 * Finds the slots that a task's present schedule has in a past span, also before the start of the task. An interval
 * keeps its grid: it is continued backward from the start.
 */
final class BackfillSlots {
    /** The maximum number of slots of one request. */
    static final int MAX_SLOTS = 1000;

    private BackfillSlots() {}

    /**
     * @param fromMillis the first instant of the span
     * @param untilMillis the end of the span, exclusive
     * @throws InvalidJsonException if the schedule has no such slots, or more than {@link #MAX_SLOTS}
     */
    static List<Long> of(Task task, long fromMillis, long untilMillis, Calendars calendars) {
        Schedule schedule = schedule(task, fromMillis, calendars);
        if (schedule.followsTheRun()) {
            throw new InvalidJsonException(
                    "", "the fire times of this task count from its runs, so it has no past slots");
        }
        List<Long> slots = new ArrayList<>();
        for (long fire = schedule.next(fromMillis - 1); fire < untilMillis; fire = schedule.next(fire)) {
            if (slots.size() == MAX_SLOTS) {
                throw new InvalidJsonException(
                        "/to",
                        "the span has more than " + MAX_SLOTS + " slots; the first one beyond is "
                                + Instants.text(fire));
            }
            slots.add(fire);
        }
        return slots;
    }

    private static Schedule schedule(Task task, long fromMillis, Calendars calendars) {
        ObjectNode definition =
                (ObjectNode) StrictJson.readStored(task.content().definition());
        JsonNode schedule = definition.path("schedule");
        if (schedule.hasNonNull("at") || schedule.hasNonNull("in")) {
            throw new InvalidJsonException("", "a one-shot has no past slots");
        }
        long start = Instants.millis(definition.path("start").asText());
        if (start > fromMillis) {
            definition.put("start", Instants.text(earlier(start, fromMillis, schedule.path("every"))));
        }
        return TaskReader.definition(task.content().app(), task.content().name(), definition.toString(), calendars)
                .schedule();
    }

    /** A start at or before the span, on the grid of an interval. */
    private static long earlier(long start, long fromMillis, JsonNode every) {
        if (!every.isTextual()) {
            return fromMillis;
        }
        long interval = Interval.period("/every", every.textValue());
        // One interval more, because the first fire may come one interval after the start.
        long intervals = Math.floorDiv(start - fromMillis + interval - 1, interval) + 1;
        return Math.max(Math.floorMod(start, interval), start - intervals * interval);
    }
}
