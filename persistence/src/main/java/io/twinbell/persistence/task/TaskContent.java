package io.twinbell.persistence.task;

import java.util.List;

/**
 * The part of a task that people write. The columns are those that tasks are searched by; everything else is in
 * {@code definition}, as JSON text that this module does not read.
 *
 * @param owner may be null
 * @param handlerKey the key of a java handler, otherwise null
 */
public record TaskContent(
        String app,
        String name,
        String owner,
        List<String> tags,
        String handlerType,
        String handlerKey,
        String definition) {
    public TaskContent {
        tags = List.copyOf(tags);
    }

    public TaskName key() {
        return new TaskName(app, name);
    }
}
