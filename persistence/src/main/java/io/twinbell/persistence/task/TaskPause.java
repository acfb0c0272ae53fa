package io.twinbell.persistence.task;

import java.util.OptionalLong;

/**
 * The pause of a task, without its reason.
 *
 * @param by the person who paused it, or null
 * @param untilMillis when the pause ends by itself, in milliseconds since 1970 UTC; empty if it lasts until the
 *     task is resumed
 */
public record TaskPause(String by, OptionalLong untilMillis) {
    /** Not paused, or paused until it is resumed, by an unnamed person. */
    public static final TaskPause NONE = new TaskPause(null, OptionalLong.empty());
}
