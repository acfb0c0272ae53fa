package io.twinbell.node.task;

import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.schedule.Calendars;
import io.twinbell.node.schedule.Overdue;
import io.twinbell.node.schedule.Schedule;
import io.twinbell.persistence.task.PassedSlots;
import io.twinbell.persistence.task.PassedSlots.Outcome;
import io.twinbell.persistence.task.Task;
import io.twinbell.persistence.task.TaskProgress;
import io.twinbell.persistence.task.TaskState;
import java.util.Optional;

/** Finds the slots of a task that were due and that nobody has claimed, when a change is about to pass over them. */
final class Passing {
    /** Counting a cron schedule takes time, and the task is locked meanwhile. */
    private static final int MAX_COUNTED = 10_000;

    private Passing() {}

    /**
     * @param reason why they are MISSED; slots that a pause held back are SKIPPED with the reason of the pause
     */
    static Optional<PassedSlots> of(Task task, long nowMillis, String reason, Calendars calendars) {
        TaskProgress progress = task.progress();
        boolean hasNone = progress.state() == TaskState.FINISHED
                || progress.nextFireMillis().isEmpty()
                || progress.nextFireMillis().getAsLong() > nowMillis;
        if (hasNone) {
            return Optional.empty();
        }
        long first = progress.nextFireMillis().getAsLong();
        try {
            return from(first, Timing.schedule(task, calendars), task, nowMillis, reason);
        } catch (InvalidJsonException e) {
            // What can't be read owes at least the slot that it stands at.
            return slots(new Overdue(first, first, 1, false), progress, reason);
        }
    }

    /** The slots of a schedule from {@code firstMillis}, which has come, up to now. */
    static Optional<PassedSlots> from(long firstMillis, Schedule schedule, Task task, long nowMillis, String reason) {
        return slots(schedule.overdue(firstMillis, nowMillis, MAX_COUNTED), task.progress(), reason);
    }

    private static Optional<PassedSlots> slots(Overdue overdue, TaskProgress progress, String reason) {
        boolean paused = progress.state() == TaskState.PAUSED;
        return Optional.of(new PassedSlots(
                overdue.first(),
                overdue.last(),
                overdue.count(),
                paused ? Outcome.SKIPPED : Outcome.MISSED,
                (paused ? pausedFor(progress) : reason) + (overdue.complete() ? "" : "; at least this many slots")));
    }

    private static String pausedFor(TaskProgress progress) {
        String by = progress.pause().by();
        return "paused" + (by == null ? "" : " by " + by) + (progress.reason() == null ? "" : ": " + progress.reason());
    }
}
