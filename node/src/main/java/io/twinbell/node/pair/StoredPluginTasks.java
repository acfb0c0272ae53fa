package io.twinbell.node.pair;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.handler.PluginTasks;
import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.json.StrictJson;
import io.twinbell.node.schedule.Calendars;
import io.twinbell.node.task.PayloadTooLargeException;
import io.twinbell.node.task.TaskChanges;
import io.twinbell.node.task.TaskJson;
import io.twinbell.node.task.TaskReader;
import io.twinbell.node.task.VersionConflictException;
import io.twinbell.persistence.calendar.UnknownCalendarException;
import io.twinbell.persistence.clock.DatabaseClock;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.task.Task;
import io.twinbell.persistence.task.TaskName;
import io.twinbell.persistence.task.TaskStore;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/** Reads and writes tasks for plugins, which see neither the node's classes nor its exceptions. */
final class StoredPluginTasks implements PluginTasks {
    private final TaskStore store;
    private final DatabaseClock clock;
    private final Supplier<Calendars> calendars;

    StoredPluginTasks(TaskStore store, DatabaseClock clock, Supplier<Calendars> calendars) {
        this.store = store;
        this.clock = clock;
        this.calendars = calendars;
    }

    @Override
    public long put(String app, String name, String json) {
        return translated(() -> {
            ObjectNode task = object(json).put("app", app).put("name", name);
            Calendars known = calendars.get();
            return store.upsert(
                            app,
                            name,
                            () -> TaskReader.newTask(task, clock.nowMillis(), known),
                            TaskChanges.put(task, known))
                    .task()
                    .id();
        });
    }

    @Override
    public Optional<String> find(String app, String name) {
        return translated(
                () -> id(app, name).flatMap(store::find).map(TaskJson::answer).map(StrictJson::write));
    }

    @Override
    public boolean patch(String app, String name, String json) {
        return translated(() -> {
            ObjectNode patch = object(json);
            Optional<Task> changed =
                    id(app, name).flatMap(id -> store.change(id, TaskChanges.patch(patch, calendars.get())));
            return changed.isPresent();
        });
    }

    @Override
    public boolean remove(String app, String name) {
        return translated(() -> id(app, name)
                .flatMap(id -> store.change(id, TaskChanges.remove(TaskChanges.REMOVED, calendars.get())))
                .isPresent());
    }

    private Optional<Long> id(String app, String name) {
        TaskName key = new TaskName(app, name);
        return Optional.ofNullable(store.ids(List.of(key)).get(key));
    }

    private static ObjectNode object(String json) {
        if (StrictJson.read(json.getBytes(StandardCharsets.UTF_8)) instanceof ObjectNode object) {
            return object;
        }
        throw new InvalidJsonException("", "must be a JSON object");
    }

    private static <T> T translated(Supplier<T> call) {
        try {
            return call.get();
        } catch (InvalidJsonException | PayloadTooLargeException | UnknownCalendarException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        } catch (DatabaseUnavailableException | VersionConflictException e) {
            throw new IllegalStateException(e.getMessage(), e);
        }
    }
}
