package io.twinbell.node.virtual;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.api.exchange.ExecutionJson;
import io.twinbell.node.execution.store.ExecutionFilter;
import io.twinbell.node.json.ControlCharacterCheck;
import io.twinbell.node.json.ControlCharacters;
import io.twinbell.node.json.Instants;
import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.json.StrictJson;
import io.twinbell.node.memory.MemoryRequests;
import io.twinbell.node.memory.MemoryTables;
import io.twinbell.node.memory.MemoryTaskStore;
import io.twinbell.node.schedule.Calendars;
import io.twinbell.node.task.PayloadTooLargeException;
import io.twinbell.node.task.TaskChanges;
import io.twinbell.node.task.TaskReader;
import io.twinbell.persistence.calendar.UnknownCalendarException;
import io.twinbell.persistence.ledger.ExecutionState;
import io.twinbell.persistence.ledger.Slot;
import io.twinbell.persistence.task.NewTask;
import io.twinbell.persistence.task.Task;
import io.twinbell.persistence.task.TaskChange;
import io.twinbell.persistence.task.TaskName;
import io.twinbell.persistence.task.TaskState;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The changes that an application makes in one transaction, by calls such as those of the SQL functions. Each call is checked
 * at once, and takes effect at the commit. After a call that was refused, all further ones fail, as after an error of
 * PostgreSQL. One thread uses it.
 */
public final class VirtualChanges {
    private static final int MOST_TASKS = 10_000;
    private static final int MOST_RERUNS = 10_000;
    private static final int LONGEST_REASON = 500;
    private static final String BY_HAND = "run again by hand";

    private final VirtualNode node;
    private final MemoryTables tables;
    private final MemoryTaskStore taskStore;
    private final ReentrantLock lock;
    private final List<Runnable> changes = new ArrayList<>();
    /** The tasks that this transaction has added or removed: their ids, or empty. */
    private final Map<TaskName, Optional<Long>> own = new HashMap<>();
    /** How {@code own} was before each of its changes, the latest last. */
    private final List<Undo> undos = new ArrayList<>();

    private VirtualRefusalException refusal;

    /**
     * A point to which a transaction can roll back.
     *
     * @param changes how many there were
     * @param names how often a name was taken or freed
     */
    public record Savepoint(int changes, int names) {}

    /** @param before null if the name was not changed before */
    private record Undo(TaskName name, Optional<Long> before) {}

    /**
     * What a call has stored, in the order of its tasks.
     *
     * @param results CREATED, KEPT or REPLACED, as the SQL functions tell it
     * @param warnings such as those of the HTTP API
     */
    public record Added(List<Long> ids, List<String> results, List<String> warnings) {
        private void add(long id, String result) {
            ids.add(id);
            results.add(result);
        }
    }

    /** @param lock held while the tables are used */
    VirtualChanges(VirtualNode node, MemoryTables tables, MemoryTaskStore taskStore, ReentrantLock lock) {
        this.node = node;
        this.tables = tables;
        this.taskStore = taskStore;
        this.lock = lock;
    }

    /** A call that is made while the lock is held. */
    private interface Call<R> {
        R run();
    }

    private <R> R checked(Call<R> call) {
        if (refusal != null) {
            throw new IllegalStateException(
                    "this transaction was refused a call before, and PostgreSQL lets it only roll back then: "
                            + refusal.getMessage(),
                    refusal);
        }
        lock.lock();
        try {
            return call.run();
        } catch (VirtualRefusalException e) {
            refusal = e;
            throw e;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Stores all tasks, or none.
     *
     * @param tasks JSON objects in the form of the HTTP API, with a member {@code ifExists} if need be
     * @throws VirtualRefusalException if a task is invalid, or exists and must not
     * @throws UnsupportedOperationException if virtual time cannot run the handler of a task
     */
    public Added add(List<String> tasks) {
        return checked(() -> {
            if (tasks.size() > MOST_TASKS) {
                throw new VirtualRefusalException(
                        400, "tasks has " + tasks.size() + " elements; the limit for one call is " + MOST_TASKS);
            }
            Savepoint before = savepoint();
            try {
                return addEach(tasks);
            } catch (RuntimeException e) {
                rollBackTo(before);
                throw e;
            }
        });
    }

    private Added addEach(List<String> tasks) {
        Added added = new Added(new ArrayList<>(tasks.size()), new ArrayList<>(tasks.size()), new ArrayList<>());
        for (String task : tasks) {
            try {
                add(task, added);
            } catch (InvalidJsonException | PayloadTooLargeException | UnknownCalendarException e) {
                throw new VirtualRefusalException(400, "/" + added.ids.size() + ": " + e.getMessage());
            } catch (VirtualRefusalException e) {
                throw new VirtualRefusalException(e.status(), "/" + added.ids.size() + ": " + e.getMessage());
            }
        }
        return added;
    }

    private void add(String json, Added added) {
        ObjectNode task = (ObjectNode) StrictJson.read(json.getBytes(StandardCharsets.UTF_8));
        String ifExists = task.has("ifExists") ? task.remove("ifExists").asText() : "REFUSE";
        ControlCharacterCheck.check(task);
        long now = node.clock().nowMillis();
        Calendars calendars = node.calendars();
        NewTask read = TaskReader.newTask(task, now, calendars);
        node.check(read.content());
        node.unknownKey(read.content())
                .filter(warning -> !added.warnings.contains(warning))
                .ifPresent(added.warnings::add);
        TaskName name = read.content().key();
        Optional<Long> present = standing(name, task, ifExists, now, calendars);
        if (present.isEmpty()) {
            long id = tables.nextId();
            set(name, Optional.of(id));
            changes.add(() -> taskStore.insert(id, read));
            added.add(id, "CREATED");
            return;
        } else if (ifExists.equals("REFUSE")) {
            throw new VirtualRefusalException(
                    409, "app \"" + name.app() + "\" already has a task named \"" + name.name() + "\"");
        } else if (ifExists.equals("REPLACE")) {
            // As a PUT, a replacement keeps the start unless it names one; only "in" counts from now.
            if (task.path("schedule").has("in") && !task.has("start")) {
                task.put("start", Instants.text(now));
            }
            changes.add(() -> taskStore.change(present.get(), TaskChanges.put(task, calendars)));
        }
        added.add(present.get(), ifExists.equals("REPLACE") ? "REPLACED" : "KEPT");
    }

    /** The id of the task that keeps its name: one that will still fire, or a finished one that is replaced by itself. */
    private Optional<Long> standing(TaskName name, ObjectNode task, String ifExists, long now, Calendars calendars) {
        if (own.containsKey(name)) {
            return own.get(name);
        }
        Optional<Task> stored = stored(name);
        boolean hasFinished = stored.isPresent() && stored.get().progress().state() == TaskState.FINISHED;
        if (!hasFinished) {
            return stored.map(Task::id);
        }
        boolean isTheSame = ifExists.equals("REPLACE")
                && TaskChanges.put(task, calendars).decide(stored.get(), now) instanceof TaskChange.Keep;
        return isTheSame ? stored.map(Task::id) : Optional.empty();
    }

    private Optional<Task> stored(TaskName name) {
        Long id = taskStore.ids(List.of(name)).get(name);
        return id == null ? Optional.empty() : taskStore.find(id);
    }

    /** Removes a task; false, and nothing changes, if there is none, or if it has fired for the last time. */
    public boolean cancel(String app, String name) {
        return checked(() -> {
            TaskName key = new TaskName(app, name);
            Optional<Long> id = own.containsKey(key)
                    ? own.get(key)
                    : stored(key)
                            .filter(task -> task.progress().state() != TaskState.FINISHED)
                            .map(Task::id);
            id.ifPresent(found -> {
                set(key, Optional.empty());
                Calendars calendars = node.calendars();
                changes.add(() -> taskStore.change(found, TaskChanges.remove(TaskChanges.REMOVED, calendars)));
            });
            return id.isPresent();
        });
    }

    /**
     * Runs an ended execution again.
     *
     * @return the execution as it is after that, in the JSON of the HTTP API
     * @throws VirtualRefusalException if there is no such execution, or it cannot run again
     */
    public String rerun(String id, String reason) {
        return checked(() -> {
            String why = why(reason);
            VirtualExecutions executions = new VirtualExecutions(tables);
            Optional<Slot> slot = ExecutionJson.slot(id);
            ObjectNode json = slot.flatMap(executions::find)
                    .map(ExecutionJson::whole)
                    .orElseThrow(() -> new VirtualRefusalException(404, "there is no execution " + id));
            String obstacle = new MemoryRequests(tables).obstacle(tables.row(slot.get()));
            if (obstacle != null) {
                throw new VirtualRefusalException(409, "execution " + id + " cannot run again: " + obstacle);
            }
            changes.add(() -> new MemoryRequests(tables).rerun(slot.get(), why));
            return StrictJson.write(waiting(json, why));
        });
    }

    /** Changes an ended execution as its rerun will. */
    private static ObjectNode waiting(ObjectNode json, String why) {
        boolean hasRun = !Set.of(ExecutionState.SKIPPED.name(), ExecutionState.MISSED.name())
                .contains(json.path("state").asText());
        json.put("attempt", json.path("attempt").asInt() + (hasRun ? 1 : 0));
        json.put("reruns", json.path("reruns").asInt() + 1);
        for (String gone : List.of(
                "node",
                "epoch",
                "claimedAt",
                "startedAt",
                "endedAt",
                "latenessMillis",
                "output",
                "error",
                "errorCode")) {
            json.putNull(gone);
        }
        return json.put("state", ExecutionState.PENDING.name()).put("reason", why);
    }

    /**
     * Runs the ended executions of a selection again, oldest first, at most 10,000; returns their number.
     *
     * @throws VirtualRefusalException if the selection has no states, or other states than final ones
     */
    public int rerunAll(ExecutionFilter filter, String reason) {
        return checked(() -> {
            String why = why(reason);
            if (filter.states().isEmpty() || !filter.states().stream().allMatch(ExecutionState::isFinal)) {
                throw new VirtualRefusalException(
                        400, "state must name final states only, for example FAILED and TIMED_OUT");
            }
            List<Slot> slots = new VirtualExecutions(tables).rerunnable(filter, MOST_RERUNS);
            changes.add(() -> slots.forEach(slot -> new MemoryRequests(tables).rerun(slot, why)));
            return slots.size();
        });
    }

    private static String why(String reason) {
        if (reason.length() > LONGEST_REASON) {
            throw new VirtualRefusalException(
                    400, "reason must have at most " + LONGEST_REASON + " characters, not " + reason.length());
        } else if (ControlCharacters.isIn(reason)) {
            throw new VirtualRefusalException(400, "reason must not contain control characters");
        }
        return BY_HAND + ": " + reason;
    }

    /** The refusal after which this transaction can only roll back; empty if it may commit. */
    public Optional<VirtualRefusalException> refusal() {
        return Optional.ofNullable(refusal);
    }

    public Savepoint savepoint() {
        return new Savepoint(changes.size(), undos.size());
    }

    private void set(TaskName name, Optional<Long> id) {
        undos.add(new Undo(name, own.put(name, id)));
    }

    /** Forgets what happened since then, also a refusal. */
    public void rollBackTo(Savepoint savepoint) {
        changes.subList(savepoint.changes(), changes.size()).clear();
        for (int i = undos.size() - 1; i >= savepoint.names(); i--) {
            Undo undo = undos.remove(i);
            if (undo.before == null) {
                own.remove(undo.name);
            } else {
                own.put(undo.name, undo.before);
            }
        }
        refusal = null;
    }

    /** Lets the changes take effect. They are forgotten then, so that further ones can follow. */
    public void commit() {
        lock.lock();
        try {
            changes.forEach(Runnable::run);
        } finally {
            lock.unlock();
            changes.clear();
            own.clear();
            undos.clear();
        }
    }
}
