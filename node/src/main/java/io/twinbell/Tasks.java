package io.twinbell;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.client.BackfillRequest;
import io.twinbell.client.TaskExplanation;
import io.twinbell.node.alert.store.JdbcTaskPings;
import io.twinbell.node.api.exchange.ExecutionJson;
import io.twinbell.node.api.slot.TaskSlots;
import io.twinbell.node.api.slot.TriggerBody;
import io.twinbell.node.execution.store.ExecutionQueries.ManualRun;
import io.twinbell.node.execution.store.JdbcExecutionQueries;
import io.twinbell.node.execution.store.JdbcExecutionRequests;
import io.twinbell.node.explain.SlotQuestion;
import io.twinbell.node.json.ControlCharacterCheck;
import io.twinbell.node.json.Instants;
import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.json.StrictJson;
import io.twinbell.node.schedule.Calendars;
import io.twinbell.node.task.CatchUp;
import io.twinbell.node.task.PayloadTooLargeException;
import io.twinbell.node.task.TaskChanges;
import io.twinbell.node.task.TaskJson;
import io.twinbell.node.task.TaskListReader;
import io.twinbell.node.task.TaskReader;
import io.twinbell.persistence.clock.DatabaseClock;
import io.twinbell.persistence.database.SchemaName;
import io.twinbell.persistence.database.Transactions;
import io.twinbell.persistence.task.JdbcTaskStore;
import io.twinbell.persistence.task.NewTask;
import io.twinbell.persistence.task.Task;
import io.twinbell.persistence.task.TaskFilter;
import io.twinbell.persistence.task.TaskName;
import io.twinbell.persistence.task.TaskPause;
import io.twinbell.persistence.task.TaskStore;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Supplier;

/**
 * Creates, changes, removes and reads the tasks of the pair from the program that embeds a node. Tasks are written in
 * the JSON of the HTTP API.
 *
 * <p>Each call is a transaction of its own, on a connection of the node: its changes stay even if the caller's
 * transaction is rolled back. {@link #in} joins the caller's transaction instead. All methods throw
 * {@link DatabaseException} if the database does not answer or refuses the statement.
 */
public final class Tasks {
    /** The maximum number of tasks in one call of {@link #addAll}. */
    public static final int MOST_AT_ONCE = 10_000;

    private final TaskStore store;
    private final DatabaseClock clock;
    private final Supplier<Calendars> calendars;
    private final TaskSlots slots;
    private final SchemaName schema;

    Tasks(TaskStore store, DatabaseClock clock, Supplier<Calendars> calendars, TaskSlots slots, SchemaName schema) {
        this.store = store;
        this.clock = clock;
        this.calendars = calendars;
        this.slots = slots;
        this.schema = schema;
    }

    /**
     * Returns a view of the same tasks that reads and writes in the transaction that the caller has open on its own
     * connection. The changes are stored when the caller commits, and the master learns of them then. In Spring the
     * connection is that of {@code DataSourceUtils.getConnection(dataSource)} inside a {@code @Transactional} method.
     *
     * <p>The connection must lead to the node's database, with a role that has rights on the node's schema.
     * This class neither closes nor commits it. A call that fails leaves the rest of the transaction as it was. The
     * task rows stay locked until the transaction ends, and their next fires wait for that, so keep the transaction
     * short. {@link #why} does not see the changes of the open transaction.
     *
     * @throws IllegalArgumentException if the connection is null
     * @throws IllegalStateException from each call, if the connection is in auto-commit mode
     * @throws UnsupportedOperationException in the test kit's virtual time
     */
    public Tasks in(Connection transaction) {
        Failures.required(transaction, "a connection");
        if (!(store instanceof JdbcTaskStore)) {
            throw new UnsupportedOperationException(
                    "virtual time has no database whose transaction a call could join: test this with a real pair");
        }
        Transactions joined = Transactions.within(schema.on(transaction));
        TaskSlots.Writers writers = new TaskSlots.Writers(
                new JdbcExecutionQueries(joined), new JdbcExecutionRequests(joined), new JdbcTaskPings(joined));
        return new Tasks(new JdbcTaskStore(joined), clock, calendars, slots.writingTo(writers), schema);
    }

    /**
     * Creates the task, or replaces its definition if it exists. Repeating a call with the same definition changes
     * nothing, so every node may repeat it at each start. There are two exceptions: a delay without a {@code start},
     * such as {@code {"in": "PT2H"}}, counts from each call; and a FINISHED task is replaced by a new one, unless it
     * fired at exactly the instant asked for.
     *
     * @param json the task without app and name, for example {@code {"schedule": {"every": "PT5S"}, "handler": …}}
     * @throws IllegalArgumentException if the task is invalid; the message names every invalid field
     */
    public TaskEntry put(String app, String name, String json) {
        return Failures.translated(() -> {
            ObjectNode task = named(json, app, name);
            Calendars known = calendars.get();
            return entry(store.upsert(
                            app,
                            name,
                            () -> TaskReader.newTask(task, clock.nowMillis(), known),
                            TaskChanges.put(task, known))
                    .task());
        });
    }

    /**
     * Creates many tasks in one transaction, which is much faster than creating them one by one. An existing task that
     * will still fire is left unchanged.
     *
     * @param jsonByName each task as for {@link #put}, by name; at most {@value #MOST_AT_ONCE}
     * @return the ids of the tasks that were created, by name
     * @throws IllegalArgumentException if one task is invalid; nothing is stored then, and the message names the error
     */
    public Map<String, Long> addAll(String app, Map<String, String> jsonByName) {
        return Failures.translated(() -> added(app, jsonByName));
    }

    private Map<String, Long> added(String app, Map<String, String> jsonByName) {
        if (Failures.required(jsonByName, "the map of tasks").size() > MOST_AT_ONCE) {
            throw new IllegalArgumentException(jsonByName.size() + " tasks; one call accepts at most " + MOST_AT_ONCE);
        }
        Calendars known = calendars.get();
        TaskListReader reader = new TaskListReader(clock.nowMillis(), known);
        SortedSet<TaskName> names = new TreeSet<>();
        for (String name : jsonByName.keySet()) {
            if (app == null || name == null) {
                throw new IllegalArgumentException("a task must have an app and a name; given: " + app + ", " + name);
            }
            names.add(new TaskName(app, name));
        }
        Map<TaskName, Long> ids = store.insertAll(names, name -> newTask(name, jsonByName.get(name.name()), reader));
        Map<String, Long> created = new LinkedHashMap<>(2 * names.size());
        for (String name : jsonByName.keySet()) {
            Long id = ids.get(new TaskName(app, name));
            if (id != null) {
                created.put(name, id);
            }
        }
        return created;
    }

    private static NewTask newTask(TaskName name, String json, TaskListReader reader) {
        try {
            return reader.newTask(named(json, name.app(), name.name()));
        } catch (InvalidJsonException | PayloadTooLargeException e) {
            throw new IllegalArgumentException("task \"" + name.name() + "\": " + e.getMessage(), e);
        }
    }

    /**
     * Changes part of a task with a merge patch (RFC 7396), for example {@code {"enabled": false}} or
     * {@code {"nextFireTime": "2030-01-01T00:00:00.000Z"}}.
     *
     * @return the task after the change; empty if there is no such task
     * @throws IllegalArgumentException if the patch is invalid
     * @throws ConflictException if the patch names a version, and the task has another
     */
    public Optional<TaskEntry> patch(String app, String name, String json) {
        return Failures.translated(() -> {
            ObjectNode patch = object(json);
            ControlCharacterCheck.check(patch);
            return id(app, name)
                    .flatMap(id -> store.change(id, TaskChanges.patch(patch, calendars.get())))
                    .map(Tasks::entry);
        });
    }

    /**
     * Checks a task as {@link #put} does, without a node and without storing it. The task must name no calendars,
     * because only a node knows them.
     *
     * @throws IllegalArgumentException if the task is invalid; the message names every invalid field
     */
    public static void check(String app, String name, String json) {
        Failures.translated(() -> TaskReader.newTask(named(json, app, name), 0, Calendars.NONE));
    }

    /**
     * Pauses an active task. A paused task stays as it is.
     *
     * @param reason is shown with the task, and is the reason of the slots that are skipped
     * @param by who pauses it
     * @return the task after the change; empty if there is no such task
     */
    public Optional<TaskEntry> pause(String app, String name, String reason, String by) {
        return Failures.translated(() -> {
            ControlCharacterCheck.checkLine("/reason", reason);
            ControlCharacterCheck.checkLine("/by", by);
            return id(app, name)
                    .flatMap(id ->
                            store.change(id, TaskChanges.pauseActive(reason, new TaskPause(by, OptionalLong.empty()))))
                    .map(Tasks::entry);
        });
    }

    /**
     * Resumes a paused task from now on.
     *
     * @param catchUp how many of the slots that passed during the pause run now, one after the other: at most this
     *     number, the newest ones; 0 to 1000. The others are SKIPPED
     * @return the task; empty if it does not exist
     * @throws IllegalArgumentException if {@code catchUp} is out of its bounds
     * @throws DatabaseException if the database does not answer
     */
    public Optional<TaskEntry> resume(String app, String name, int catchUp) {
        if (catchUp < 0 || catchUp > CatchUp.MAX_SLOTS) {
            throw new IllegalArgumentException("catchUp is " + catchUp + "; it must be 0 to " + CatchUp.MAX_SLOTS);
        }
        return Failures.translated(() -> id(app, name)
                .flatMap(id -> store.change(id, TaskChanges.resume(calendars.get(), catchUp)))
                .map(Tasks::entry));
    }

    /**
     * Runs the task now, in addition to its schedule, also if it is paused or finished.
     *
     * @return the id of the execution; empty if there is no such task
     * @throws IllegalArgumentException if the stored task is invalid, so that it cannot run
     */
    public Optional<String> trigger(String app, String name) {
        return trigger(app, name, null, null);
    }

    /**
     * As {@link #trigger(String, String)}, with a note and with data of its own.
     *
     * @param reason one line, which is a part of the reason of the execution; null for none
     * @param data JSON text that takes the place of the task's data in this run, at most 64 KiB; null for the task's data
     * @throws IllegalArgumentException also if the reason or the data is invalid
     */
    public Optional<String> trigger(String app, String name, String reason, String data) {
        return Failures.translated(() -> {
            ObjectNode body = JsonNodeFactory.instance.objectNode();
            if (reason != null) {
                body.put("reason", reason);
            }
            if (data != null) {
                body.set("data", StrictJson.read(data.getBytes(StandardCharsets.UTF_8)));
            }
            ControlCharacterCheck.check(body);
            ManualRun run = TriggerBody.read(body);
            return found(app, name).flatMap(task -> slots.trigger(task, run)).map(ExecutionJson::id);
        });
    }

    /**
     * Runs the slots that the task's schedule has in a past span, and that it did not owe: one after the other, with
     * their own fire times. A repetition enters no slot twice.
     *
     * @return what was entered; empty if there is no such task
     * @throws IllegalArgumentException if the span is invalid or has more than 1000 slots, or if the task has no past
     *     slots because it fires once or counts from its runs
     */
    public Optional<BackfillRequest.Entered> backfill(String app, String name, BackfillRequest request) {
        return Failures.translated(() -> {
            ObjectNode body = object(Failures.required(request, "the request").json());
            ControlCharacterCheck.check(body);
            return found(app, name)
                    .flatMap(task -> slots.backfill(task, body))
                    .map(answer -> BackfillRequest.Entered.of(StrictJson.write(answer)));
        });
    }

    /** Cancels the backfilled slots of the task that have not started; returns their number, 0 if there is no such task. */
    public int cancelBackfill(String app, String name) {
        return Failures.translated(
                () -> id(app, name).map(slots::cancelBackfill).orElse(0));
    }

    /**
     * Records that the work of the task was done outside. An alert may expect such pings.
     *
     * @return when it was recorded, by the database's clock; empty if there is no such task
     */
    public Optional<Instant> ping(String app, String name) {
        return Failures.translated(() -> id(app, name).flatMap(id -> Optional.ofNullable(instant(slots.ping(id)))));
    }

    /**
     * Explains why the task ran, did not run, or will run at an instant.
     *
     * @param at an instant such as {@code 2026-03-29T01:00:00Z}, or a local time of the task's zone such as
     *     {@code 2026-03-29 02:30}. A time that is given to the minute or the second stands for all of it
     * @return the explanation; empty if there is no such task
     * @throws IllegalArgumentException if {@code at} is neither, or not between 1970 and 2199
     */
    public Optional<TaskExplanation> why(String app, String name, String at) {
        Failures.required(at, "the instant");
        return Failures.translated(() -> found(app, name)
                .map(task -> slots.explain(task, SlotQuestion.of(at, slots.zone(task))))
                .map(explained -> TaskExplanation.of(StrictJson.write(explained.json()))));
    }

    /** As {@link #why(String, String, String)}, for exactly this millisecond. */
    public Optional<TaskExplanation> why(String app, String name, Instant at) {
        return why(app, name, Instants.text(Failures.millis(at, "the instant")));
    }

    /**
     * Removes the task, so that it no longer fires; returns false if there is no such task. Its executions stay in the
     * ledger, and a running one continues.
     */
    public boolean remove(String app, String name) {
        return Failures.translated(() -> id(app, name)
                .flatMap(id -> store.change(id, TaskChanges.remove(TaskChanges.REMOVED, calendars.get())))
                .isPresent());
    }

    /**
     * Removes all tasks of an app as {@link #remove} does, in transactions of at most 500 tasks. If the database fails
     * in between, the earlier ones are removed, and the same call removes the rest.
     *
     * @return how many tasks were removed
     */
    public long clear(String app) {
        if (app == null) {
            throw new IllegalArgumentException("an app is required");
        }
        TaskFilter filter = new TaskFilter(app, null, null, null, null, null);
        return Failures.translated(
                () -> store.changeAll(filter, 0, () -> true, TaskChanges.remove(TaskChanges.REMOVED, calendars.get()))
                        .tasks());
    }

    /** Returns the task; empty if there is none. */
    public Optional<TaskEntry> find(String app, String name) {
        return Failures.translated(() -> found(app, name).map(Tasks::entry));
    }

    /**
     * Returns the tasks of an app in the order in which they were created, at most {@code limit}.
     *
     * @param app null for all apps
     * @param tag only tasks with this tag; null for all
     * @param afterId 0, or the id of the last task of the previous page
     * @param limit at least 1
     * @throws IllegalArgumentException if the limit is less
     */
    public List<TaskEntry> list(String app, String tag, long afterId, int limit) {
        if (limit < 1) {
            throw new IllegalArgumentException("the limit must be at least 1, not " + limit);
        }
        TaskFilter filter = new TaskFilter(app, tag, null, null, null, null);
        return Failures.translated(() ->
                store.list(filter, afterId, limit).stream().map(Tasks::entry).toList());
    }

    private Optional<Task> found(String app, String name) {
        return id(app, name).flatMap(store::find);
    }

    private Optional<Long> id(String app, String name) {
        TaskName key = new TaskName(app, name);
        return Optional.ofNullable(store.ids(List.of(key)).get(key));
    }

    private static ObjectNode named(String json, String app, String name) {
        Failures.required(app, "the app");
        Failures.required(name, "the name");
        ObjectNode task = object(json).put("app", app).put("name", name);
        ControlCharacterCheck.check(task);
        return task;
    }

    private static ObjectNode object(String json) {
        if (StrictJson.read(Failures.required(json, "the JSON").getBytes(StandardCharsets.UTF_8))
                instanceof ObjectNode object) {
            return object;
        }
        throw new InvalidJsonException("", "must be a JSON object");
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
