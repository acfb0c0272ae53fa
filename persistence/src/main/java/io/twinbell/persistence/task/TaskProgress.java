package io.twinbell.persistence.task;

import java.util.OptionalLong;

/**
 * Where a task stands. Times are milliseconds since 1970 UTC, by the database's clock.
 *
 * @param reason why it is in its state, or null
 * @param nextFireMillis empty if it will not fire, or waits for the end of its run; a paused task keeps the fire time at
 *     which it stopped
 * @param previousFireMillis the last slot claimed and not handed back, which may lie shortly ahead of now
 * @param pause of a PAUSED task; of any other {@link TaskPause#NONE}
 * @param runs how many slots were claimed to run; only claims write it
 * @param offSchedule whether the next fire time stands though the schedule may not have it
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

    /** The same place in another state, but for PAUSED. */
    public TaskProgress in(TaskState otherState, String why) {
        return new TaskProgress(otherState, why, nextFireMillis, previousFireMillis, TaskPause.NONE, runs, offSchedule);
    }

    /** The same place, paused. */
    public TaskProgress paused(String why, TaskPause how) {
        return new TaskProgress(TaskState.PAUSED, why, nextFireMillis, previousFireMillis, how, runs, offSchedule);
    }

    /** Another place, which is the schedule's own, in a state but for PAUSED. */
    public TaskProgress at(TaskState otherState, String why, OptionalLong next) {
        return new TaskProgress(otherState, why, next, previousFireMillis, TaskPause.NONE, runs, false);
    }

    /** The same, with a next fire time that stands whatever the schedule says. */
    public TaskProgress standing() {
        return new TaskProgress(state, reason, nextFireMillis, previousFireMillis, pause, runs, true);
    }
}
