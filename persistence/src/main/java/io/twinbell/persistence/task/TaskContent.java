package io.twinbell.persistence.task;

import java.util.List;

/**
 * What people wrote about a task. The columns are what it is found by; everything else is in {@code definition}, as JSON
 * text that this module does not read.
 *
 * @param owner may be null
 * @param handlerKey of a java handler, otherwise null
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
