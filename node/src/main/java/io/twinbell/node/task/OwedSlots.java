package io.twinbell.node.task;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.json.StrictJson;
import io.twinbell.node.schedule.Calendars;
import io.twinbell.node.schedule.Schedule;
import io.twinbell.persistence.task.Task;
import io.twinbell.persistence.task.TaskState;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** Which slots a task's present definition owes, recomputed from the definition alone. */
public final class OwedSlots {
    private final Task task;
    private final Schedule schedule;
    private final OptionalLong plannedFromMillis;

    /**
     * @param plannedFromMillis the first fire time of the present plan, which may lie off the schedule; empty if it is
     *     not known
     * @throws InvalidJsonException if the stored definition can't be read
     */
    public OwedSlots(Task task, OptionalLong plannedFromMillis, Calendars calendars) {
        this.task = task;
        this.plannedFromMillis = plannedFromMillis;
        schedule = Timing.schedule(task, calendars);
    }

    /** The instant from which on the present definition tells the slots. */
    public long knownFromMillis() {
        return plannedFromMillis.orElse(task.createdAtMillis() + 1);
    }

    /** Whether only the ends of runs tell the fire times. */
    public boolean followsTheRun() {
        return schedule.followsTheRun();
    }

    /** The fire time that follows a run with this end; empty if none does, or the schedule does not go by its runs. */
    public OptionalLong following(long endMillis) {
        long next = schedule.followsTheRun() ? schedule.afterRun(endMillis) : Schedule.NEVER;
        return next == Schedule.NEVER ? OptionalLong.empty() : OptionalLong.of(next);
    }

    /**
     * Slots before this must be in the ledger: where the task stands, or {@code untilMillis} if it will not fire any
     * more. A task with {@code maxRuns} may end before its schedule does.
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

    /** At most {@code limit} fire times from an instant on, up to and without another one, oldest first. */
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
