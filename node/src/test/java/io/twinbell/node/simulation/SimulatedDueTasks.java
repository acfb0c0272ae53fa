package io.twinbell.node.simulation;

import io.twinbell.persistence.ledger.claim.DueTask;
import io.twinbell.persistence.ledger.claim.DueTasks;
import io.twinbell.persistence.ledger.claim.HeapPage;
import io.twinbell.persistence.task.Task;
import io.twinbell.persistence.task.TaskState;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Does on simulated tables what {@code JdbcDueTasks} does on PostgreSQL. */
final class SimulatedDueTasks implements DueTasks {
    private final Link link;
    private final SimulatedDatabase database;

    private record Pair(long fireMillis, long id) {}

    SimulatedDueTasks(Link link, SimulatedDatabase database) {
        this.link = link;
        this.database = database;
    }

    @Override
    public HeapPage page(long afterFireMillis, long afterTaskId, int limit) {
        HeapPage page = link.ask(
                "heap page",
                () -> page(
                        pair -> pair.fireMillis() > afterFireMillis
                                || pair.fireMillis() == afterFireMillis && pair.id() > afterTaskId,
                        limit));
        if (database.weather().isScanLong(database.world())) {
            // A page may be long, and its rows come one after the other.
            link.linger(database.world().between(0, 200 * World.MILLI));
        }
        return page;
    }

    @Override
    public HeapPage overdue(long byMillis, int limit) {
        return link.ask("overdue?", () -> page(pair -> pair.fireMillis() <= database.nowMillis() - byMillis, limit));
    }

    @Override
    public HeapPage waiting(long[] taskIds) {
        return link.ask(
                "waiting " + Arrays.toString(taskIds),
                () -> page(pair -> Arrays.stream(taskIds).anyMatch(id -> id == pair.id()), taskIds.length));
    }

    private HeapPage page(Predicate<Pair> which, int limit) {
        List<Pair> found = database.tables.tasks.values().stream()
                .filter(task -> task.progress().state() == TaskState.ACTIVE
                        && task.progress().nextFireMillis().isPresent())
                .map(task -> new Pair(task.progress().nextFireMillis().getAsLong(), task.id()))
                .filter(which)
                .sorted(Comparator.comparingLong(Pair::fireMillis).thenComparingLong(Pair::id))
                .limit(limit)
                .toList();
        return new HeapPage(
                found.stream().mapToLong(Pair::fireMillis).toArray(),
                found.stream().mapToLong(Pair::id).toArray(),
                priorities(found));
    }

    private byte[] priorities(List<Pair> found) {
        byte[] priorities = new byte[found.size()];
        for (int i = 0; i < priorities.length; i++) {
            priorities[i] = (byte) database.tables.priority(found.get(i).id());
        }
        return priorities;
    }

    @Override
    public List<DueTask> read(long[] taskIds) {
        return link.ask(
                "read tasks " + Arrays.toString(taskIds),
                () -> Arrays.stream(taskIds)
                        .distinct()
                        .sorted()
                        .mapToObj(database.tables.tasks::get)
                        .filter(task -> task != null)
                        .map(this::due)
                        .toList());
    }

    @Override
    public Map<Long, String> apps(long[] taskIds) {
        return link.ask(
                "apps of " + Arrays.toString(taskIds),
                () -> Arrays.stream(taskIds)
                        .mapToObj(database.tables.tasks::get)
                        .filter(task -> task != null)
                        .collect(Collectors.toMap(
                                Task::id, task -> task.content().app(), (one, same) -> one)));
    }

    @Override
    public String soleApp() {
        return link.ask("sole app?", () -> {
            List<String> apps = database.tables.tasks.values().stream()
                    .map(task -> task.content().app())
                    .distinct()
                    .limit(2)
                    .toList();
            return apps.size() == 1 ? apps.get(0) : null;
        });
    }

    private DueTask due(Task task) {
        boolean isActive = task.progress().state() == TaskState.ACTIVE;
        return new DueTask(
                task.id(),
                task.version(),
                task.content().app(),
                task.content().name(),
                task.content().definition(),
                isActive ? task.progress().nextFireMillis().orElse(Long.MAX_VALUE) : Long.MAX_VALUE,
                task.progress().offSchedule(),
                (byte) database.tables.priority(task.id()),
                task.content().tags());
    }
}
