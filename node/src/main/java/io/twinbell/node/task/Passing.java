package io.twinbell.node.task;

import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.schedule.Overdue;
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
    static Optional<PassedSlots> of(Task task, long nowMillis, String reason) {
        TaskProgress progress = task.progress();
        boolean hasNone = progress.state() == TaskState.FINISHED
                || progress.nextFireMillis().isEmpty()
                || progress.nextFireMillis().getAsLong() > nowMillis;
        if (hasNone) {
            return Optional.empty();
        }
        Overdue overdue = overdue(task, progress.nextFireMillis().getAsLong(), nowMillis);
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

    /** A definition that can't be read owes at least the slot that it stands at. */
    private static Overdue overdue(Task task, long firstMillis, long nowMillis) {
        try {
            return Timing.definition(task).schedule().overdue(firstMillis, nowMillis, MAX_COUNTED);
        } catch (InvalidJsonException e) {
            return new Overdue(firstMillis, firstMillis, 1, false);
        }
    }
}
