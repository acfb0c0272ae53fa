package io.twinbell;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.json.StrictJson;
import io.twinbell.node.schedule.Calendars;
import io.twinbell.node.task.PayloadTooLargeException;
import io.twinbell.node.task.TaskChanges;
import io.twinbell.node.task.TaskJson;
import io.twinbell.node.task.TaskReader;
import io.twinbell.persistence.database.DatabaseClock;
import io.twinbell.persistence.task.Task;
import io.twinbell.persistence.task.TaskFilter;
import io.twinbell.persistence.task.TaskName;
import io.twinbell.persistence.task.TaskStore;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;

/**
 * The tasks of the pair, for the program that a node is embedded in. A task is written as the API takes it, in JSON. All
 * methods throw {@link io.twinbell.persistence.database.DatabaseUnavailableException} if the database does not answer.
 */
public final class Tasks {
    private final TaskStore store;
    private final DatabaseClock clock;
    private final Supplier<Calendars> calendars;

    Tasks(TaskStore store, DatabaseClock clock, Supplier<Calendars> calendars) {
        this.store = store;
        this.clock = clock;
        this.calendars = calendars;
    }

    /**
     * Creates the task, or replaces what was written about it; the same again changes nothing, so that every node may do
     * it whenever it starts.
     *
     * @param json the task without app and name, for example {@code {"schedule": {"every": "PT5S"}, "handler": …}}
     * @throws IllegalArgumentException if it is not valid; the message names every field that is wrong
     */
    public TaskEntry put(String app, String name, String json) {
        return understood(() -> {
            if (!(StrictJson.read(json.getBytes(StandardCharsets.UTF_8)) instanceof ObjectNode task)) {
                throw new InvalidJsonException("", "must be a JSON object");
            }
            task.put("app", app).put("name", name);
            Calendars known = calendars.get();
            return entry(store.upsert(
                            app,
                            name,
                            () -> TaskReader.newTask(task, clock.nowMillis(), known),
                            TaskChanges.replace(task, known))
                    .task());
        });
    }

    /**
     * Changes some of it, by a merge-patch (RFC 7396): for example {@code {"enabled": false}} or
     * {@code {"nextFireTime": "2030-01-01T00:00:00.000Z"}}.
     *
     * @return the task afterwards; empty if there is none
     * @throws IllegalArgumentException if it is not valid
     */
    public Optional<TaskEntry> patch(String app, String name, String json) {
        return understood(() -> {
            if (!(StrictJson.read(json.getBytes(StandardCharsets.UTF_8)) instanceof ObjectNode patch)) {
                throw new InvalidJsonException("", "must be a JSON object");
            }
            return id(app, name)
                    .flatMap(id -> store.change(id, TaskChanges.patch(patch, calendars.get())))
                    .map(Tasks::entry);
        });
    }

    /** Has it fire no more; false if there is none. Its executions stay in the ledger, a running one runs on. */
    public boolean remove(String app, String name) {
        return id(app, name)
                .flatMap(id -> store.change(id, TaskChanges.remove(TaskChanges.REMOVED, calendars.get())))
                .isPresent();
    }

    public Optional<TaskEntry> find(String app, String name) {
        return id(app, name).flatMap(store::find).map(Tasks::entry);
    }

    /**
     * The tasks of an app in the order in which they were created, at most {@code limit}.
     *
     * @param tag only those that have it; null for all
     * @param afterId 0, or the id of the last one of the page before
     */
    public List<TaskEntry> list(String app, String tag, long afterId, int limit) {
        TaskFilter filter = new TaskFilter(app, tag, null, null, null, null);
        return store.list(filter, afterId, limit).stream().map(Tasks::entry).toList();
    }

    private Optional<Long> id(String app, String name) {
        TaskName key = new TaskName(app, name);
        return Optional.ofNullable(store.ids(List.of(key)).get(key));
    }

    private interface Request<T> {
        T carryOut();
    }

    private static <T> T understood(Request<T> request) {
        try {
            return request.carryOut();
        } catch (InvalidJsonException | PayloadTooLargeException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    private static TaskEntry entry(Task task) {
        return new TaskEntry(
                task.id(),
                task.content().app(),
                task.content().name(),
                task.progress().state().name(),
                instant(task.progress().nextFireMillis()),
                instant(task.progress().previousFireMillis()),
                StrictJson.write(TaskJson.answer(task)));
    }

    private static Instant instant(OptionalLong millis) {
        return millis.isPresent() ? Instant.ofEpochMilli(millis.getAsLong()) : null;
    }
}
