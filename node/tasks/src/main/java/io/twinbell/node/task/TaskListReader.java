package io.twinbell.node.task;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.schedule.Calendars;
import io.twinbell.persistence.task.NewTask;

/**
 * Reads the new tasks of one list, with the same results and errors as {@link TaskReader#newTask}. Programs add
 * one-shots by the thousand that differ in their name, instant and data only. What such tasks have in common is read
 * once. Not thread-safe.
 */
public final class TaskListReader {
    private final long nowMillis;
    private final Calendars calendars;
    private ObjectNode previous;
    private SimilarOneShots similar;

    /** @param nowMillis as in {@link TaskReader#newTask} */
    public TaskListReader(long nowMillis, Calendars calendars) {
        this.nowMillis = nowMillis;
        this.calendars = calendars;
    }

    /** @param task must not change as long as this reader is used */
    public NewTask newTask(JsonNode task) {
        if (!(task instanceof ObjectNode object)) {
            return TaskReader.newTask(task, nowMillis, calendars);
        }
        NewTask known = similar == null ? null : similar.read(object);
        if (known != null) {
            return known;
        }
        NewTask read = TaskReader.newTask(object, nowMillis, calendars);
        // What tasks have in common is worked out at the second of them: for a single task it would cost more than it
        // saves.
        if (previous != null && SimilarOneShots.areSimilar(previous, object)) {
            similar = SimilarOneShots.to(object, read);
        }
        previous = object;
        return read;
    }
}
