package io.twinbell.persistence.task;

/**
 * A stored task.
 *
 * @param version grows with every edit, pause and resume, but not with firing
 * @param createdAtMillis milliseconds since 1970 UTC
 * @param updatedAtMillis when its content last changed
 */
public record Task(
        long id,
        long version,
        TaskContent content,
        TaskProgress progress,
        long createdAtMillis,
        long updatedAtMillis) {}
