package io.twinbell.persistence.task;

import java.util.stream.Stream;

/**
 * A filter on tasks; null means no condition.
 *
 * @param handler a handler's type, or the key of a java handler
 * @param namePart a part of the name, in any case
 */
public record TaskFilter(String app, String tag, String owner, TaskState state, String handler, String namePart) {
    public static final TaskFilter ALL = new TaskFilter(null, null, null, null, null, null);

    public boolean selectsAll() {
        return Stream.of(app, tag, owner, state, handler, namePart).allMatch(given -> given == null);
    }
}
