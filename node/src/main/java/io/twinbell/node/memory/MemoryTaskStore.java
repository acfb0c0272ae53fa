package io.twinbell.node.memory;

import io.twinbell.node.compile.store.SkippedRange;
import io.twinbell.node.compile.store.SkippedRanges;
import io.twinbell.persistence.task.NewTask;
import io.twinbell.persistence.task.PassedSlots;
import io.twinbell.persistence.task.Task;
import io.twinbell.persistence.task.TaskContent;
import io.twinbell.persistence.task.TaskDecision;
import io.twinbell.persistence.task.TaskFilter;
import io.twinbell.persistence.task.TaskName;
import io.twinbell.persistence.task.TaskState;
import io.twinbell.persistence.task.TaskStore;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Stores tasks in the tables in memory, as {@code JdbcTaskStore} does, and settles the ranges that moved tasks have
 * skipped.
 */
public final class MemoryTaskStore implements TaskStore, SkippedRanges {
    private static final long MINUTE = 60_000;

    private final MemoryTables tables;
    private final TaskChangeWriter writer;
    private final Consumer<NewTask> check;

    /** @param check throws if a new or changed task cannot be emulated */
    public MemoryTaskStore(MemoryTables tables, Consumer<TaskContent> check) {
        this.tables = tables;
        this.check = task -> check.accept(task.content());
        writer = new TaskChangeWriter(tables, check);
    }

    @Override
    public Optional<Task> insert(NewTask task) {
        TaskName name = task.content().key();
        Long id = insertAll(new TreeSet<>(List.of(name)), any -> task).get(name);
        return id == null ? Optional.empty() : find(id);
    }

    @Override
    public List<OptionalLong> insertAll(List<NewTask> tasks) {
        Map<TaskName, NewTask> firstOfName = new TreeMap<>();
        tasks.forEach(task -> firstOfName.putIfAbsent(task.content().key(), task));
        Map<TaskName, Long> ids = insertAll(new TreeSet<>(firstOfName.keySet()), firstOfName::get);
        return tasks.stream()
                .map(task -> {
                    Long id = ids.get(task.content().key());
                    boolean isStored =
                            id != null && firstOfName.get(task.content().key()) == task;
                    return isStored ? OptionalLong.of(id) : OptionalLong.empty();
                })
                .toList();
    }

    @Override
    public Map<TaskName, Long> insertAll(SortedSet<TaskName> names, Function<TaskName, NewTask> reader) {
        tables.reach("store tasks");
        Map<TaskName, NewTask> read = new TreeMap<>();
        names.forEach(name -> read.put(name, reader.apply(name)));
        read.values().forEach(check);
        Map<TaskName, Long> stored = new HashMap<>();
        read.forEach((name, task) -> {
            Task present = present(name);
            if (present == null || present.progress().state() == TaskState.FINISHED) {
                if (present != null) {
                    writer.remove(present);
                }
                stored.put(name, writer.insert(task));
            }
        });
        return stored;
    }

    /**
     * Stores a new task under a reserved id. A finished task of its name is removed.
     *
     * @throws IllegalStateException if there is another task of its name
     */
    public void insert(long id, NewTask task) {
        Task present = present(task.content().key());
        if (present != null && present.progress().state() != TaskState.FINISHED) {
            throw new IllegalStateException("the task \"" + task.content().name() + "\" of app \""
                    + task.content().app() + "\" was stored by another transaction meanwhile: PostgreSQL would have let"
                    + " this one wait for that, and then have refused it");
        }
        if (present != null) {
            writer.remove(present);
        }
        writer.insert(id, task);
    }

    private Task present(TaskName name) {
        Long id = tables.ids.get(name);
        return id == null ? null : tables.tasks.get(id);
    }

    @Override
    public Stored upsert(String app, String name, Supplier<NewTask> ifAbsent, TaskDecision ifPresent) {
        tables.reach("store a task");
        Task present = present(new TaskName(app, name));
        if (present != null) {
            Task changed = decide(present, ifPresent);
            return new Stored(changed, changed.id() != present.id());
        }
        NewTask task = ifAbsent.get();
        check.accept(task);
        return new Stored(tables.tasks.get(writer.insert(task)), true);
    }

    private Task decide(Task current, TaskDecision decision) {
        long id = writer.apply(current, decision.decide(current, tables.nowMillis()));
        Task now = tables.tasks.get(id);
        return now == null ? current : now;
    }

    @Override
    public Optional<Task> find(long id) {
        tables.reach("read a task");
        return Optional.ofNullable(tables.tasks.get(id));
    }

    @Override
    public Map<TaskName, Long> ids(Collection<TaskName> names) {
        tables.reach("find tasks");
        Map<TaskName, Long> found = new HashMap<>();
        names.forEach(name -> {
            Long id = tables.ids.get(name);
            if (id != null) {
                found.put(name, id);
            }
        });
        return found;
    }

    @Override
    public Map<TaskName, Long> unfinishedIds(Collection<TaskName> names) {
        Map<TaskName, Long> found = ids(names);
        found.values().removeIf(id -> tables.tasks.get(id).progress().state() == TaskState.FINISHED);
        return found;
    }

    @Override
    public List<Task> list(TaskFilter filter, long afterId, int limit) {
        tables.reach("list tasks");
        return matching(filter, afterId).limit(limit).toList();
    }

    private Stream<Task> matching(TaskFilter filter, long afterId) {
        return tables.tasks.tailMap(afterId, false).values().stream().filter(task -> matches(task, filter));
    }

    private static boolean matches(Task task, TaskFilter filter) {
        TaskContent content = task.content();
        String part = filter.namePart() == null ? "" : filter.namePart().toLowerCase(Locale.ROOT);
        return isGiven(filter.app(), content.app())
                && (filter.tag() == null || content.tags().contains(filter.tag()))
                && isGiven(filter.owner(), content.owner())
                && (filter.state() == null || filter.state() == task.progress().state())
                && (filter.handler() == null
                        || filter.handler().equals(content.handlerType())
                        || filter.handler().equals(content.handlerKey()))
                && content.name().toLowerCase(Locale.ROOT).contains(part);
    }

    private static boolean isGiven(String wanted, String value) {
        return wanted == null || Objects.equals(wanted, value);
    }

    @Override
    public List<Task> upcoming(String app, long untilMillis, int limit) {
        tables.reach("list upcoming tasks");
        return tables.due()
                .takeWhile(task -> task.progress().nextFireMillis().getAsLong() < untilMillis)
                .filter(task -> isGiven(app, task.content().app()))
                .limit(limit)
                .toList();
    }

    @Override
    public SortedMap<Long, Long> nextFiresByMinute(String app, long fromMillis, long untilMillis) {
        tables.reach("count next fires");
        return tables.due()
                .filter(task -> isGiven(app, task.content().app()))
                .map(task -> task.progress().nextFireMillis().getAsLong())
                .filter(fire -> fire >= fromMillis && fire < untilMillis)
                .collect(Collectors.groupingBy(
                        fire -> fire - Math.floorMod(fire, MINUTE), TreeMap::new, Collectors.counting()));
    }

    @Override
    public Optional<Task> change(long id, TaskDecision decision) {
        tables.reach("change a task");
        return Optional.ofNullable(tables.tasks.get(id)).map(task -> decide(task, decision));
    }

    @Override
    public Changed changeAll(TaskFilter filter, long afterId, BooleanSupplier goesOn, TaskDecision decision) {
        tables.reach("change tasks");
        List<Task> found = new ArrayList<>(matching(filter, afterId).toList());
        found.forEach(task -> decide(task, decision));
        return new Changed(found.size(), OptionalLong.empty());
    }

    @Override
    public long count(TaskFilter filter, long afterId) {
        tables.reach("count tasks");
        return matching(filter, afterId).count();
    }

    @Override
    public OptionalLong endPauses(TaskDecision decision) {
        tables.reach("end pauses");
        long now = tables.nowMillis();
        tables.tasks.values().stream()
                .filter(task -> task.progress().state() == TaskState.PAUSED
                        && task.progress().pause().untilMillis().orElse(Long.MAX_VALUE) <= now)
                .toList()
                .forEach(task -> decide(task, decision));
        long next = tables.nextPauseEndMillis();
        return next == Long.MAX_VALUE ? OptionalLong.empty() : OptionalLong.of(next);
    }

    @Override
    public Map<Long, Long> changeEach(Map<Long, TaskDecision> decisions) {
        tables.reach("change tasks");
        Map<Long, Long> successors = new HashMap<>();
        new TreeMap<>(decisions).forEach((id, decision) -> {
            Task task = tables.tasks.get(id);
            if (task != null) {
                long now = decide(task, decision).id();
                if (now != id) {
                    successors.put(id, now);
                }
            }
        });
        return successors;
    }

    @Override
    public int settle(int limit, Function<SkippedRange, Optional<PassedSlots>> slots) {
        tables.reach("settle skipped ranges");
        List<SkippedRange> over = tables.skippedRanges.stream()
                .filter(range -> range.untilMillis() <= tables.nowMillis())
                .limit(limit)
                .toList();
        over.forEach(range -> slots.apply(range)
                .ifPresent(
                        passed -> tables.passed.add(new MemoryTables.PassedRow(range.taskId(), range.name(), passed))));
        tables.skippedRanges.removeAll(over);
        if (!over.isEmpty()) {
            tables.listener().ledgerChanged();
        }
        return over.size();
    }
}
