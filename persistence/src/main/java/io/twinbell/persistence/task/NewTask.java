package io.twinbell.persistence.task;

import java.util.Map;

/**
 * A task to be stored.
 *
 * @param priority the priority in its definition, 0 to 9
 * @param calendars the version of each calendar that its progress was computed with, by name
 * @param parts the parts of its definition
 */
public record NewTask(
        TaskContent content, TaskProgress progress, int priority, Map<String, Long> calendars, DefinitionParts parts) {}
