package io.twinbell.node.memory;

import io.twinbell.node.calendar.store.CalendarSource;
import io.twinbell.node.compile.store.SkippedRange;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.Completion;
import io.twinbell.persistence.ledger.Slot;
import io.twinbell.persistence.limit.RunLimit;
import io.twinbell.persistence.task.PassedSlots;
import io.twinbell.persistence.task.Task;
import io.twinbell.persistence.task.TaskName;
import io.twinbell.persistence.task.TaskPause;
import io.twinbell.persistence.task.TaskProgress;
import io.twinbell.persistence.task.TaskState;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/**
 * Tables in memory: they take the place of a database. One thread uses them at a time. Who may write, and which rows
 * are locked, is the least that a single master needs; a simulation of a pair overrides it.
 */
public class MemoryTables implements CalendarSource {
    /** Bound on the ledger's rows, which grow with virtual time and stay in memory. */
    public static final int MAX_ROWS = 2_000_000;

    private static final Epoch NO_EPOCH = new Epoch(0, new UUID(0, 0), "nobody", 0);

    private static final Comparator<Slot> BY_TASK =
            Comparator.comparingLong(Slot::taskId).thenComparingLong(Slot::fireTimeMillis);

    final TreeMap<Long, Task> tasks = new TreeMap<>();
    final Map<TaskName, Long> ids = new HashMap<>();
    final Map<TaskName, List<Long>> removedIds = new HashMap<>();
    final List<PassedRow> passed = new ArrayList<>();
    final List<SkippedRange> skippedRanges = new ArrayList<>();
    final Map<Slot, String> cancelRequests = new LinkedHashMap<>();
    /** Failures in a row, by task. */
    final Map<Long, Integer> streaks = new HashMap<>();

    final Map<Slot, Integer> chainRuns = new HashMap<>();

    private final TreeMap<Slot, MemoryRow> executions = new TreeMap<>(BY_TASK);
    /** The rows that have not ended, and some that have. */
    private final TreeMap<Slot, MemoryRow> open = new TreeMap<>(BY_TASK);

    private final TreeSet<DueEntry> due = new TreeSet<>();
    private final Map<Long, Byte> priorities = new HashMap<>();
    private final Map<String, RunLimit> limits = new LinkedHashMap<>();
    private final Map<String, Content> calendars = new LinkedHashMap<>();
    private final LongSupplier nowMicros;
    private TableListener listener = TableListener.NONE;
    private Epoch epoch = NO_EPOCH;
    private long latestId;
    private long calendarVersion;
    private boolean away;

    /** Slots that an edit skipped, which the master enters. */
    record PassedRow(long taskId, TaskName name, PassedSlots slots) {}

    private record DueEntry(long fireMillis, long id) implements Comparable<DueEntry> {
        @Override
        public int compareTo(DueEntry other) {
            int byTime = Long.compare(fireMillis, other.fireMillis);
            return byTime == 0 ? Long.compare(id, other.id) : byTime;
        }
    }

    /** @param nowMicros the clock of this database, in microseconds since 1970 UTC */
    public MemoryTables(LongSupplier nowMicros) {
        this.nowMicros = nowMicros;
    }

    /** Sets the listener that learns of changes from now on: the engine of the current master. */
    public void tell(TableListener newListener) {
        listener = newListener;
    }

    TableListener listener() {
        return listener;
    }

    /** Takes the database away, or gives it back: while it is away, every call fails. */
    public void away(boolean isAway) {
        away = isAway;
    }

    /**
     * Checks that the database answers.
     *
     * @throws DatabaseUnavailableException while it is away
     */
    public void reach(String purpose) {
        if (away) {
            throw DatabaseUnavailableException.notReached(purpose, "the test has taken the database away");
        }
    }

    public long nowMillis() {
        return Math.floorDiv(nowMicros.getAsLong(), 1000L);
    }

    /** Opens the next epoch for the node. What the earlier epoch claimed is left to it. */
    public Epoch openEpoch(String node) {
        epoch = new Epoch(epoch.number() + 1, new UUID(1, epoch.number() + 1), node, nowMillis());
        return epoch;
    }

    /** Whether the epoch may claim and settle, as {@code EpochGuard.OF_THE_OWNER} decides. */
    protected boolean isOwner(Epoch of) {
        return epoch.number() == of.number() && epoch.token().equals(of.token());
    }

    /** Whether the epoch may record outcomes, as {@code EpochGuard.ALSO_WHILE_DRAINING} decides. */
    protected boolean isOwnerOrDrains(Epoch of) {
        return isOwner(of);
    }

    /** Whether the master of an earlier epoch still finishes its runs. */
    protected boolean drains(long epochNumber) {
        return false;
    }

    /** Whether another transaction holds the task's row, so that a statement must pass it over. */
    protected boolean isLocked(long taskId) {
        return false;
    }

    /** Reserves the id of a task. */
    public long nextId() {
        return ++latestId;
    }

    /** Takes over the tasks of another one, with an empty ledger. Limits and calendars stay. */
    public void copyTasks(MemoryTables other) {
        List.of(tasks, ids, removedIds, cancelRequests, streaks, chainRuns, executions, open, priorities)
                .forEach(Map::clear);
        List.of(passed, skippedRanges, due).forEach(Collection::clear);
        away = false;
        epoch = NO_EPOCH;
        other.tasks.values().forEach(task -> put(task, other.priority(task.id())));
        latestId = other.latestId;
    }

    /** Takes over everything of another one but its epoch, limits and calendars. */
    public void copy(MemoryTables other) {
        copyTasks(other);
        other.removedIds.forEach((name, removed) -> removedIds.put(name, new ArrayList<>(removed)));
        cancelRequests.putAll(other.cancelRequests);
        streaks.putAll(other.streaks);
        chainRuns.putAll(other.chainRuns);
        passed.addAll(other.passed);
        skippedRanges.addAll(other.skippedRanges);
        other.executions.values().forEach(row -> enter(row.copy()));
    }

    /** The tasks by id. */
    public SortedMap<Long, Task> tasks() {
        return Collections.unmodifiableSortedMap(tasks);
    }

    /** Stores a task as it is now. */
    public void put(Task task, byte priority) {
        Task before = tasks.put(task.id(), task);
        if (before != null) {
            dueEntry(before).ifPresent(due::remove);
        }
        dueEntry(task).ifPresent(due::add);
        ids.put(task.content().key(), task.id());
        priorities.put(task.id(), priority);
    }

    void progress(Task task, TaskProgress progress) {
        put(
                new Task(
                        task.id(),
                        task.version(),
                        task.content(),
                        progress,
                        task.createdAtMillis(),
                        task.updatedAtMillis()),
                priority(task.id()));
    }

    void remove(Task task) {
        tasks.remove(task.id());
        dueEntry(task).ifPresent(due::remove);
        ids.remove(task.content().key(), task.id());
        removedIds
                .computeIfAbsent(task.content().key(), name -> new ArrayList<>())
                .add(task.id());
        streaks.remove(task.id());
        priorities.remove(task.id());
    }

    private static Optional<DueEntry> dueEntry(Task task) {
        OptionalLong next = task.progress().nextFireMillis();
        return task.progress().state() == TaskState.ACTIVE && next.isPresent()
                ? Optional.of(new DueEntry(next.getAsLong(), task.id()))
                : Optional.empty();
    }

    byte priority(long taskId) {
        return priorities.getOrDefault(taskId, (byte) 5);
    }

    /** The ACTIVE tasks with their next fire times, soonest first. */
    Stream<Task> due() {
        return due.stream().map(entry -> tasks.get(entry.id()));
    }

    /** The ACTIVE tasks after a place in the order of their fire times. */
    Stream<Task> dueAfter(long fireMillis, long taskId) {
        return due.tailSet(new DueEntry(fireMillis, taskId), false).stream().map(entry -> tasks.get(entry.id()));
    }

    public String definition(long taskId) {
        Task found = tasks.get(taskId);
        return found == null ? null : found.content().definition();
    }

    /** False if the slot has a row. */
    public boolean enter(MemoryRow row) {
        if (executions.size() >= MAX_ROWS) {
            throw new IllegalStateException("the ledger has " + MAX_ROWS
                    + " executions, which is the most that a test may collect: advance by less, or fire less often");
        }
        boolean isNew = executions.putIfAbsent(row.slot, row) == null;
        if (isNew) {
            open.put(row.slot, row);
        }
        return isNew;
    }

    /** A row that had ended waits again. */
    void reopen(MemoryRow row) {
        open.put(row.slot, row);
    }

    public MemoryRow row(Slot slot) {
        return executions.get(slot);
    }

    /** The rows of a task in the order of their fire times. */
    public Collection<MemoryRow> rowsOf(long taskId) {
        return executions
                .subMap(new Slot(taskId, Long.MIN_VALUE), true, new Slot(taskId, Long.MAX_VALUE), true)
                .values();
    }

    /** The rows of all tasks that have had this name, oldest task first. */
    public List<MemoryRow> rowsOf(TaskName name) {
        List<Long> all = new ArrayList<>(removedIds.getOrDefault(name, List.of()));
        if (ids.containsKey(name)) {
            all.add(ids.get(name));
        }
        return all.stream().flatMap(id -> rowsOf(id).stream()).toList();
    }

    /** All rows in the order of tasks and fire times. */
    public Collection<MemoryRow> rows() {
        return executions.values();
    }

    /** The rows that have not ended. */
    public Stream<MemoryRow> openRows() {
        open.values().removeIf(row -> row.state.isFinal());
        return open.values().stream();
    }

    Stream<MemoryRow> openRowsOf(long taskId) {
        return open
                .subMap(new Slot(taskId, Long.MIN_VALUE), true, new Slot(taskId, Long.MAX_VALUE), true)
                .values()
                .stream()
                .filter(row -> !row.state.isFinal());
    }

    /**
     * Sets the next fire time of a task that follows the end of its run, unless an edit has set one, another run is
     * unfinished, or the task is locked.
     */
    void reschedule(long taskId, long nextMillis) {
        Task task = tasks.get(taskId);
        boolean isFree = task != null
                && task.progress().nextFireMillis().isEmpty()
                && Set.of(TaskState.ACTIVE, TaskState.PAUSED)
                        .contains(task.progress().state())
                && !isLocked(taskId)
                && openRowsOf(taskId).noneMatch(MemoryRow::isUnfinished);
        if (isFree) {
            TaskProgress was = task.progress();
            boolean isFinished = nextMillis == Completion.FINISHED;
            TaskProgress now = new TaskProgress(
                    isFinished && was.state() == TaskState.ACTIVE ? TaskState.FINISHED : was.state(),
                    was.reason(),
                    isFinished ? OptionalLong.empty() : OptionalLong.of(nextMillis),
                    was.previousFireMillis(),
                    was.pause(),
                    was.runs(),
                    was.offSchedule());
            progress(task, now);
            listener.taskChanged(taskId);
        }
    }

    /** Counts a failure or a success, and pauses the task after too many failures in a row. */
    void countFailure(long taskId, boolean hasFailed, int pauseAfter) {
        if (!hasFailed) {
            streaks.remove(taskId);
            return;
        }
        int failures = streaks.merge(taskId, 1, Integer::sum);
        Task task = tasks.get(taskId);
        if (failures < pauseAfter || task == null) {
            return;
        }
        streaks.remove(taskId);
        if (task.progress().state() == TaskState.ACTIVE) {
            TaskProgress paused = task.progress().paused(failures + " executions in a row have failed", TaskPause.NONE);
            put(
                    new Task(
                            taskId,
                            task.version() + 1,
                            task.content(),
                            paused,
                            task.createdAtMillis(),
                            task.updatedAtMillis()),
                    priority(taskId));
        }
        listener.taskChanged(taskId);
    }

    public void putLimit(RunLimit limit) {
        limits.put(limit.key(), limit);
        listener.limitsChanged();
    }

    Collection<RunLimit> limits() {
        return limits.values();
    }

    /** Stores a calendar; its JSON was checked. */
    public void putCalendar(String name, String json) {
        calendars.put(name, new Content(name, ++calendarVersion, json));
        listener.calendarsChanged();
    }

    @Override
    public Changes changedSince(Map<String, Long> known) {
        reach("read calendars");
        List<Content> changed = calendars.values().stream()
                .filter(content -> !Long.valueOf(content.version()).equals(known.get(content.name())))
                .toList();
        return new Changes(changed, Set.of());
    }

    /**
     * The earliest instant at which a loop of the engine may find work: a due task, a waiting row, or the end of a
     * pause or skipped range. {@link Long#MAX_VALUE} for none. An instant in the past means that some work waits for
     * another event.
     */
    public long nextEventMillis() {
        long next = due.isEmpty() ? Long.MAX_VALUE : due.first().fireMillis();
        next = Math.min(
                next,
                openRows()
                        .filter(MemoryRow::waits)
                        .mapToLong(MemoryRow::dueOrFireMillis)
                        .min()
                        .orElse(Long.MAX_VALUE));
        return Math.min(
                next,
                skippedRanges.stream()
                        .mapToLong(SkippedRange::untilMillis)
                        .min()
                        .orElse(Long.MAX_VALUE));
    }

    /** The earliest end of a task's pause; {@link Long#MAX_VALUE} for none. */
    public long nextPauseEndMillis() {
        return tasks.values().stream()
                .filter(task -> task.progress().state() == TaskState.PAUSED)
                .mapToLong(task -> task.progress().pause().untilMillis().orElse(Long.MAX_VALUE))
                .min()
                .orElse(Long.MAX_VALUE);
    }
}
