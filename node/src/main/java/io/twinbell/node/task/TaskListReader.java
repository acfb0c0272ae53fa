package io.twinbell.node.task;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.schedule.Calendars;
import io.twinbell.persistence.task.NewTask;

/**
 * Reads the new tasks of one list, with the same results and errors as {@link TaskReader#newTask}. Programs add
 * one-shots by the thousand that differ in their name, instant and data only, and then most of a task is not read again.
 * Not thread-safe.
 */
public final class TaskListReader {
    private final long nowMillis;
    private final Calendars calendars;
    private ObjectNode previous;
    private OneShotSiblings siblings;

    /** @param nowMillis as in {@link TaskReader#newTask} */
    public TaskListReader(long nowMillis, Calendars calendars) {
        this.nowMillis = nowMillis;
        this.calendars = calendars;
    }

    public NewTask newTask(JsonNode task) {
        if (!(task instanceof ObjectNode object)) {
            return whole(task);
        }
        NewTask sibling = siblings == null ? null : siblings.read(object);
        if (sibling != null) {
            return sibling;
        }
        NewTask read = whole(object);
        // What siblings share is worked out at the second of them: for a single task it would cost more than it saves.
        if (previous != null && OneShotSiblings.areSiblings(previous, object)) {
            siblings = OneShotSiblings.of(object, read, this::whole);
        }
        previous = object;
        return read;
    }

    private NewTask whole(JsonNode task) {
        return TaskReader.newTask(task, nowMillis, calendars);
    }
}
