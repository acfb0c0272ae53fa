package io.twinbell.persistence.task;

import java.util.Map;

/**
 * A task to be stored.
 *
 * @param calendars the version of each calendar that its progress was computed with, by name
 */
public record NewTask(TaskContent content, TaskProgress progress, Map<String, Long> calendars) {
    /** A task that respects no calendar. */
    public NewTask(TaskContent content, TaskProgress progress) {
        this(content, progress, Map.of());
    }
}
