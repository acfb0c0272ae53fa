package io.twinbell.node.memory;

import io.twinbell.persistence.ledger.claim.DueTask;
import io.twinbell.persistence.ledger.claim.DueTasks;
import io.twinbell.persistence.ledger.claim.DueTasks.HeapPage;
import io.twinbell.persistence.task.DefinitionParts;
import io.twinbell.persistence.task.Task;
import io.twinbell.persistence.task.TaskState;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Reads due tasks of the tables in memory. */
public record MemoryDueTasks(MemoryTables tables) implements DueTasks {
    @Override
    public HeapPage page(long afterFireMillis, long afterTaskId, int limit) {
        tables.reach("read the heap");
        return page(tables.dueAfter(afterFireMillis, afterTaskId), limit);
    }

    @Override
    public HeapPage overdue(long byMillis, int limit) {
        tables.reach("read overdue tasks");
        long until = tables.nowMillis() - byMillis;
        return page(tables.due().takeWhile(task -> fireMillis(task) <= until), limit);
    }

    @Override
    public HeapPage waiting(long[] taskIds) {
        tables.reach("read fire times");
        Set<Long> wanted = Arrays.stream(taskIds).boxed().collect(Collectors.toSet());
        return page(tables.due().filter(task -> wanted.contains(task.id())), taskIds.length);
    }

    private HeapPage page(Stream<Task> tasks, int limit) {
        List<Task> found = tasks.limit(limit).toList();
        byte[] priorities = new byte[found.size()];
        for (int i = 0; i < priorities.length; i++) {
            priorities[i] = tables.priority(found.get(i).id());
        }
        return new HeapPage(
                found.stream().mapToLong(MemoryDueTasks::fireMillis).toArray(),
                found.stream().mapToLong(Task::id).toArray(),
                priorities);
    }

    private static long fireMillis(Task task) {
        return task.progress().nextFireMillis().orElse(Long.MAX_VALUE);
    }

    @Override
    public List<DueTask> read(long[] taskIds) {
        tables.reach("read tasks");
        return found(taskIds).map(this::due).toList();
    }

    private Stream<Task> found(long[] taskIds) {
        return Arrays.stream(taskIds)
                .distinct()
                .sorted()
                .mapToObj(tables.tasks::get)
                .filter(Objects::nonNull);
    }

    @Override
    public Map<Long, String> apps(long[] taskIds) {
        tables.reach("read apps");
        return found(taskIds)
                .collect(Collectors.toMap(Task::id, task -> task.content().app()));
    }

    @Override
    public String soleApp() {
        tables.reach("read apps");
        List<String> apps = tables.tasks.values().stream()
                .map(task -> task.content().app())
                .distinct()
                .limit(2)
                .toList();
        return apps.size() == 1 ? apps.get(0) : null;
    }

    private DueTask due(Task task) {
        boolean isActive = task.progress().state() == TaskState.ACTIVE;
        return new DueTask(
                task.id(),
                task.version(),
                task.content().app(),
                task.content().name(),
                DefinitionParts.whole(task.content().definition()),
                isActive ? fireMillis(task) : Long.MAX_VALUE,
                task.progress().offSchedule(),
                tables.priority(task.id()),
                task.content().tags());
    }
}
