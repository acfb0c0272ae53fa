package io.twinbell.node.compile.store;

import io.twinbell.persistence.task.TaskName;

/**
 * The slots of a task that were skipped because its next fire time was moved ahead. The new fire time has passed, or
 * the task was moved again since. Times are milliseconds since 1970 UTC, by the database's clock; the skipped slots lie
 * between them.
 *
 * @param definition the definition at that time, JSON text
 */
public record SkippedRange(long taskId, TaskName name, String definition, long afterMillis, long untilMillis) {}
