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
 */
public record TaskProgress(
        TaskState state, String reason, OptionalLong nextFireMillis, OptionalLong previousFireMillis, TaskPause pause) {
    public TaskProgress(TaskState state, String reason, OptionalLong nextFireMillis, OptionalLong previousFireMillis) {
        this(state, reason, nextFireMillis, previousFireMillis, TaskPause.NONE);
    }

    /** A task that has not fired yet. */
    public static TaskProgress fresh(TaskState state, String reason, OptionalLong nextFireMillis) {
        return new TaskProgress(state, reason, nextFireMillis, OptionalLong.empty());
    }
}
