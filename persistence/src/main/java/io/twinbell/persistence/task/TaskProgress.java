package io.twinbell.persistence.task;

import java.util.OptionalLong;

/**
 * The scheduling state of a task. Times are milliseconds since 1970 UTC, by the database's clock.
 *
 * @param reason why the task is in its state, or null
 * @param nextFireMillis empty if the task will not fire, or waits for the end of its run; a paused task keeps the
 *     next fire time that it had
 * @param previousFireMillis the last slot that was claimed and not handed back; it may lie slightly in the future
 * @param pause the pause of a PAUSED task; {@link TaskPause#NONE} for any other
 * @param runs how many slots were claimed to run; only claims write it
 * @param offSchedule whether the next fire time is valid even if the schedule does not contain it
 */
public record TaskProgress(
        TaskState state,
        String reason,
        OptionalLong nextFireMillis,
        OptionalLong previousFireMillis,
        TaskPause pause,
        long runs,
        boolean offSchedule) {
    /** A task that has not fired yet. */
    public static TaskProgress fresh(TaskState state, String reason, OptionalLong nextFireMillis) {
        return new TaskProgress(state, reason, nextFireMillis, OptionalLong.empty(), TaskPause.NONE, 0, false);
    }

    /** The same progress in another state than PAUSED. */
    public TaskProgress in(TaskState otherState, String why) {
        return new TaskProgress(otherState, why, nextFireMillis, previousFireMillis, TaskPause.NONE, runs, offSchedule);
    }

    /** The same progress, paused. */
    public TaskProgress paused(String why, TaskPause how) {
        return new TaskProgress(TaskState.PAUSED, why, nextFireMillis, previousFireMillis, how, runs, offSchedule);
    }

    /** Progress with a next fire time of the schedule, in another state than PAUSED. */
    public TaskProgress at(TaskState otherState, String why, OptionalLong next) {
        return new TaskProgress(otherState, why, next, previousFireMillis, TaskPause.NONE, runs, false);
    }

    /** The same progress, with a next fire time that is valid even if the schedule does not contain it. */
    public TaskProgress standing() {
        return new TaskProgress(state, reason, nextFireMillis, previousFireMillis, pause, runs, true);
    }
}
