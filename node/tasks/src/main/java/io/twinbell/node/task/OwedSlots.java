package io.twinbell.node.task;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.node.engine.task.Schedule;
import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.json.StrictJson;
import io.twinbell.node.schedule.Calendars;
import io.twinbell.persistence.task.Task;
import io.twinbell.persistence.task.TaskState;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** Computes which slots a task's current definition requires in the ledger, from the definition alone. */
public final class OwedSlots {
    private final Task task;
    private final Schedule schedule;
    private final OptionalLong plannedFromMillis;

    /**
     * @param plannedFromMillis the first fire time of the current plan, which may be off the schedule; empty if it is
     *     not known
     * @throws InvalidJsonException if the stored definition cannot be read
     */
    public OwedSlots(Task task, OptionalLong plannedFromMillis, Calendars calendars) {
        this.task = task;
        this.plannedFromMillis = plannedFromMillis;
        schedule = NextFireTimeChange.schedule(task, calendars);
    }

    /** The instant from which the current definition determines the slots. */
    public long knownFromMillis() {
        return plannedFromMillis.orElse(task.createdAtMillis() + 1);
    }

    /** Whether the fire times depend on the ends of the runs. */
    public boolean followsTheRun() {
        return schedule.followsTheRun();
    }

    /**
     * Returns the fire time after a run that ended at this instant; empty if there is none, or if the schedule does
     * not depend on runs.
     */
    public OptionalLong following(long endMillis) {
        long next = schedule.followsTheRun() ? schedule.afterRun(endMillis) : Schedule.NEVER;
        return next == Schedule.NEVER ? OptionalLong.empty() : OptionalLong.of(next);
    }

    /**
     * Slots before the returned instant must be in the ledger: the task's next fire time, or {@code untilMillis} if
     * the task will not fire again. A task with {@code maxRuns} may end before its schedule does.
     */
    public long untilMillis(long untilMillis) {
        OptionalLong next = task.progress().nextFireMillis();
        if (next.isPresent()) {
            return Math.min(next.getAsLong(), untilMillis);
        }
        JsonNode definition = StrictJson.readStored(task.content().definition());
        boolean endsBySchedule = task.progress().state() == TaskState.FINISHED && !definition.hasNonNull("maxRuns");
        return endsBySchedule
                ? untilMillis
                : Math.min(untilMillis, task.progress().previousFireMillis().orElse(knownFromMillis()) + 1);
    }

    /**
     * Returns at most {@code limit} fire times, oldest first, from the first instant (inclusive) to the second
     * (exclusive).
     */
    public List<Long> slots(long fromMillis, long untilMillis, int limit) {
        List<Long> slots = new ArrayList<>();
        if (schedule.followsTheRun()) {
            return slots;
        }
        long first = plannedFromMillis.orElse(Long.MIN_VALUE);
        boolean beginsOffSchedule = first >= fromMillis && first < untilMillis && schedule.next(first - 1) != first;
        if (beginsOffSchedule) {
            slots.add(first);
        }
        long fire = schedule.next(Math.max(fromMillis, knownFromMillis()) - 1);
        while (slots.size() < limit && fire < untilMillis) {
            slots.add(fire);
            fire = schedule.next(fire);
        }
        return slots;
    }
}
