package io.twinbell.persistence.task;

import java.util.stream.Stream;

/**
 * A filter on tasks; null means no condition.
 *
 * @param handler a handler's type, or the key of a java handler
 * @param namePart a part of the name, in any case
 * @param lastId the greatest id
 */
public record TaskFilter(
        String app, String tag, String owner, TaskState state, String handler, String namePart, Long lastId) {
    public static final TaskFilter ALL = new TaskFilter(null, null, null, null, null, null);

    /** A filter on tasks of all ids. */
    public TaskFilter(String app, String tag, String owner, TaskState state, String handler, String namePart) {
        this(app, tag, owner, state, handler, namePart, null);
    }

    /** The same filter for tasks up to an id. */
    public TaskFilter until(long id) {
        return new TaskFilter(app, tag, owner, state, handler, namePart, id);
    }

    public boolean selectsAll() {
        return Stream.of(app, tag, owner, state, handler, namePart, lastId).allMatch(given -> given == null);
    }
}
