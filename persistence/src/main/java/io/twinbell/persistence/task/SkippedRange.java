package io.twinbell.persistence.task;

/**
 * Somebody moved the next fire time of a task ahead, and it has passed, or the task was moved again since. Times are
 * milliseconds since 1970 UTC, by the database's clock; the slots in between are those that were leapt over.
 *
 * @param definition as it was then, JSON text
 */
public record SkippedRange(long taskId, TaskName name, String definition, long afterMillis, long untilMillis) {}
