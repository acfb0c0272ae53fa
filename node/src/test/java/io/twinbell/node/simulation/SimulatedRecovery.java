package io.twinbell.node.simulation;

import io.twinbell.node.simulation.Tables.Row;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.Attempt;
import io.twinbell.persistence.ledger.Completion;
import io.twinbell.persistence.ledger.ExecutionState;
import io.twinbell.persistence.ledger.Slot;
import io.twinbell.persistence.ledger.recovery.CancelRequest;
import io.twinbell.persistence.ledger.recovery.RecoveryStore;
import io.twinbell.persistence.ledger.recovery.ReleaseRequest;
import io.twinbell.persistence.ledger.recovery.Settlement;
import io.twinbell.persistence.ledger.recovery.StalledTask;
import io.twinbell.persistence.task.PassedSlots;
import io.twinbell.persistence.task.Task;
import io.twinbell.persistence.task.TaskState;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** {@code JdbcRecoveryStore} without requests to release executions and without counting failures in a row. */
final class SimulatedRecovery implements RecoveryStore {
    private static final Comparator<Row> OLDEST_FIRST = Comparator.comparing((Row row) -> row.epoch)
            .thenComparingLong(row -> row.slot.fireTimeMillis())
            .thenComparingLong(row -> row.slot.taskId());

    private final Link link;
    private final SimulatedDatabase database;
    private final Tables tables;

    SimulatedRecovery(Link link, SimulatedDatabase database) {
        this.link = link;
        this.database = database;
        tables = database.tables;
    }

    @Override
    public List<Attempt> orphans(Epoch epoch, int limit) {
        return link.ask("orphans?", () -> {
            return unfinished(row -> row.epoch < epoch.number() && !tables.drains(row.epoch), limit);
        });
    }

    @Override
    public List<Attempt> own(Epoch epoch, long olderThanMillis, int limit) {
        List<Attempt> own = link.ask(
                "own rows?",
                () -> unfinished(
                        row -> row.isOf(epoch) && row.claimedMillis < database.nowMillis() - olderThanMillis, limit));
        if (!own.isEmpty()) {
            link.passBarrier();
        }
        return own;
    }

    private List<Attempt> unfinished(Predicate<Row> which, int limit) {
        return tables.openRows()
                .filter(row -> row.isClaimed() && which.test(row))
                .sorted(OLDEST_FIRST)
                .limit(limit)
                .map(row -> SimulatedLedger.attempt(tables, row))
                .toList();
    }

    @Override
    public List<Settlement> settle(Epoch epoch, List<Settlement> settlements, long atMillis, long claimedForMillis) {
        return link.guarded("settle " + texts(settlements), () -> {
            List<Settlement> settled = settlements.stream()
                    .filter(settlement -> settle(epoch, settlement, atMillis, claimedForMillis))
                    .toList();
            settled.stream()
                    .filter(settlement -> settlement.nextMillis() != Completion.NOT_FOLLOWED)
                    .sorted(Comparator.comparingLong(one -> one.orphan().slot().taskId()))
                    .forEach(settlement -> Rescheduling.run(
                            database, link.serving(), settlement.orphan().slot().taskId(), settlement.nextMillis()));
            return settled;
        });
    }

    private static String texts(List<Settlement> settlements) {
        return settlements.stream()
                .map(one -> one.orphan().slot().taskId() + "@"
                        + SimulatedLedger.time(one.orphan().slot().fireTimeMillis()) + "/"
                        + one.orphan().attempt() + ":" + one.end())
                .toList()
                .toString();
    }

    private boolean settle(Epoch epoch, Settlement settlement, long atMillis, long claimedForMillis) {
        Attempt orphan = settlement.orphan();
        Row row = tables.executions.get(orphan.slot());
        boolean isAsSeen = row != null
                && row.attempt == orphan.attempt()
                && row.epoch != null
                && row.epoch == orphan.epoch()
                && row.isClaimed()
                && (claimedForMillis == 0 || row.claimedMillis < database.nowMillis() - claimedForMillis);
        if (!isAsSeen || !tables.isOwner(epoch)) {
            return false;
        }
        row.state = settlement.end();
        row.attempt = Math.max(settlement.newAttempt(), row.attempt);
        row.reason = settlement.reason();
        if (settlement.isRerun()) {
            row.epoch = epoch.number();
            row.node = epoch.node();
            row.claimedMillis = database.nowMillis();
            row.retryDueMillis = null;
            row.startedMillis = null;
            row.endedMillis = null;
        } else {
            row.endedMillis = atMillis;
        }
        return true;
    }

    @Override
    public Set<Slot> retrying(int limit) {
        return link.ask(
                "retrying?",
                () -> tables.openRows()
                        .filter(row -> row.state == ExecutionState.RETRYING)
                        .limit(limit)
                        .map(row -> row.slot)
                        .collect(Collectors.toCollection(HashSet::new)));
    }

    @Override
    public List<CancelRequest> cancelRequests(int limit) {
        return link.ask(
                "cancel requests?",
                () -> tables.cancelRequests.stream().limit(limit).toList());
    }

    @Override
    public Set<Slot> cancelWaiting(Epoch epoch, List<CancelRequest> requests) {
        return link.guarded("cancel waiting", () -> {
            Set<Slot> cancelled = new HashSet<>();
            if (tables.isOwner(epoch)) {
                requests.forEach(request -> cancelWaiting(request, cancelled));
                tables.cancelRequests.removeIf(request ->
                        isAsked(requests, request) && (cancelled.contains(request.slot()) || hasEnded(request.slot())));
            }
            return cancelled;
        });
    }

    private static boolean isAsked(List<CancelRequest> requests, CancelRequest kept) {
        return requests.stream().anyMatch(request -> request.slot().equals(kept.slot()));
    }

    private boolean hasEnded(Slot slot) {
        Row row = tables.executions.get(slot);
        return row == null || row.state.isFinal();
    }

    private void cancelWaiting(CancelRequest request, Set<Slot> cancelled) {
        Row row = tables.executions.get(request.slot());
        if (row != null && row.waits()) {
            row.state = ExecutionState.CANCELLED;
            row.endedMillis = database.nowMillis();
            row.dueMillis = null;
            row.heldBy = null;
            row.reason = request.reason();
            cancelled.add(row.slot);
        }
    }

    @Override
    public void pauseFailing(Epoch epoch) {
        link.guarded("pause failing", () -> null);
    }

    @Override
    public StalledTask.StalledTaskPage stalled(long afterTaskId, int most) {
        return link.ask("stalled?", () -> {
            List<StalledTask> stalled = new ArrayList<>();
            for (Task task : tables.tasks.values()) {
                boolean isStalled = task.progress().state() == TaskState.ACTIVE
                        && task.progress().nextFireMillis().isEmpty()
                        && tables.rowsOf(task.id()).noneMatch(row -> !row.state.isFinal());
                if (isStalled) {
                    stalled.add(new StalledTask(
                            task.id(),
                            task.content().app(),
                            task.content().name(),
                            task.content().definition(),
                            lastEnd(task.id())));
                }
            }
            return new StalledTask.StalledTaskPage(stalled, StalledTask.FROM_THE_FIRST);
        });
    }

    private long lastEnd(long task) {
        Row last = tables.rowsOf(task).reduce((first, second) -> second).orElse(null);
        return last == null || last.endedMillis == null ? 0 : last.endedMillis;
    }

    @Override
    public void restart(Epoch epoch, Map<Long, Long> nextMillis) {
        link.guarded("set going " + new TreeMap<>(nextMillis).keySet(), () -> {
            if (tables.isOwnerOrDrains(epoch)) {
                new TreeMap<>(nextMillis)
                        .forEach((task, next) -> Rescheduling.run(database, link.serving(), task, next));
            }
            return null;
        });
    }

    @Override
    public Set<Long> tasksThatDrain() {
        return link.ask("tasks that drain?", () -> {
            return tables.openRows()
                    .filter(row -> row.isClaimed() && tables.drains(row.epoch))
                    .map(row -> row.slot.taskId())
                    .collect(Collectors.toCollection(HashSet::new));
        });
    }

    @Override
    public int enterPassedSlots(Epoch epoch) {
        return link.guarded("enter passed slots", () -> {
            if (!tables.isOwner(epoch)) {
                return 0;
            }
            int entered = (int) tables.passed.stream().filter(this::enter).count();
            tables.passed.clear();
            return entered;
        });
    }

    private boolean enter(Tables.Passed passed) {
        PassedSlots slots = passed.slots();
        int had = tables.executions.containsKey(new Slot(passed.taskId(), slots.firstMillis())) ? 1 : 0;
        if (slots.slots() <= had) {
            return false;
        }
        Row row = new Row(
                new Slot(passed.taskId(), had == 0 ? slots.firstMillis() : slots.secondMillis()),
                passed.app(),
                passed.name(),
                ExecutionState.valueOf(slots.outcome().name()));
        row.attempt = 1;
        row.endedMillis = database.nowMillis();
        row.slots = slots.slots() - had;
        row.untilMillis = row.slots > 1 ? slots.lastMillis() : row.slot.fireTimeMillis();
        row.reason = slots.reason();
        return tables.enter(row);
    }

    @Override
    public List<ReleaseRequest> takeReleaseRequests(Epoch epoch, int limit) {
        return link.guarded("release requests?", List::of);
    }
}
