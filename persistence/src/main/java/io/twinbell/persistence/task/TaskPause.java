package io.twinbell.persistence.task;

import java.util.OptionalLong;

/**
 * What is known of a task's pause, beside its reason.
 *
 * @param by who paused it, or null
 * @param untilMillis when it ends by itself, in milliseconds since 1970 UTC; empty for when somebody resumes the task
 */
public record TaskPause(String by, OptionalLong untilMillis) {
    /** Of a task that is not paused, or was paused by nobody in particular, for as long as nobody resumes it. */
    public static final TaskPause NONE = new TaskPause(null, OptionalLong.empty());
}
