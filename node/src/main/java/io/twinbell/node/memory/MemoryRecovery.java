package io.twinbell.node.memory;

import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.Attempt;
import io.twinbell.persistence.ledger.Completion;
import io.twinbell.persistence.ledger.ExecutionState;
import io.twinbell.persistence.ledger.Slot;
import io.twinbell.persistence.ledger.recovery.RecoveryStore;
import io.twinbell.persistence.ledger.recovery.RecoveryStore.CancelRequest;
import io.twinbell.persistence.ledger.recovery.RecoveryStore.ReleaseRequest;
import io.twinbell.persistence.ledger.recovery.Settlement;
import io.twinbell.persistence.ledger.recovery.StalledTask;
import io.twinbell.persistence.task.PassedSlots;
import io.twinbell.persistence.task.Task;
import io.twinbell.persistence.task.TaskState;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** Settles what an earlier master left in the tables in memory, as {@code JdbcRecoveryStore} does. */
public final class MemoryRecovery implements RecoveryStore {
    private static final Comparator<MemoryRow> OLDEST_FIRST = Comparator.comparing((MemoryRow row) -> row.epoch)
            .thenComparingLong(row -> row.slot.fireTimeMillis())
            .thenComparingLong(row -> row.slot.taskId());

    private final MemoryTables tables;
    private final ChainLinks chains;

    public MemoryRecovery(MemoryTables tables) {
        this.tables = tables;
        chains = new ChainLinks(tables);
    }

    @Override
    public List<Attempt> orphans(Epoch epoch, int limit) {
        tables.reach("read orphans");
        return unfinished(row -> row.epoch < epoch.number() && !tables.drains(row.epoch), limit);
    }

    @Override
    public List<Attempt> own(Epoch epoch, long olderThanMillis, int limit) {
        tables.reach("read own rows");
        return unfinished(row -> row.isOf(epoch) && row.claimedMillis < tables.nowMillis() - olderThanMillis, limit);
    }

    private List<Attempt> unfinished(Predicate<MemoryRow> which, int limit) {
        return tables.openRows()
                .filter(row -> row.isClaimed() && which.test(row))
                .sorted(OLDEST_FIRST)
                .limit(limit)
                .map(row -> RunDefinitions.attempt(tables, row))
                .toList();
    }

    @Override
    public List<Settlement> settle(Epoch epoch, List<Settlement> settlements, long atMillis, long claimedForMillis) {
        tables.reach("settle orphans");
        List<Settlement> settled = settlements.stream()
                .filter(settlement -> settle(epoch, settlement, atMillis, claimedForMillis))
                .toList();
        chains.follow(settled.stream()
                .map(settlement -> tables.row(settlement.orphan().slot()))
                .toList());
        settled.stream()
                .filter(settlement -> settlement.nextMillis() != Completion.NOT_FOLLOWED)
                .sorted(Comparator.comparingLong(one -> one.orphan().slot().taskId()))
                .forEach(settlement ->
                        tables.reschedule(settlement.orphan().slot().taskId(), settlement.nextMillis()));
        return settled;
    }

    private boolean settle(Epoch epoch, Settlement settlement, long atMillis, long claimedForMillis) {
        Attempt orphan = settlement.orphan();
        MemoryRow row = tables.row(orphan.slot());
        boolean isAsSeen = row != null
                && row.attempt == orphan.attempt()
                && row.epoch != null
                && row.epoch == orphan.epoch()
                && row.isClaimed()
                && (claimedForMillis == 0 || row.claimedMillis < tables.nowMillis() - claimedForMillis);
        if (!isAsSeen || !tables.isOwner(epoch)) {
            return false;
        }
        if (settlement.newAttempt() > row.attempt) {
            row.endedMillis = null;
            row.keepAttempt(ExecutionState.DROPPED.name(), settlement.reason());
        }
        row.state = settlement.end();
        row.attempt = Math.max(settlement.newAttempt(), row.attempt);
        row.reason = settlement.reason();
        if (settlement.isRerun()) {
            row.epoch = epoch.number();
            row.node = epoch.node();
            row.claimedMillis = tables.nowMillis();
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
        tables.reach("read executions that wait for an attempt");
        return tables.openRows()
                .filter(row -> row.state == ExecutionState.RETRYING)
                .limit(limit)
                .map(row -> row.slot)
                .collect(Collectors.toCollection(HashSet::new));
    }

    @Override
    public List<CancelRequest> cancelRequests(int limit) {
        tables.reach("read cancel requests");
        return tables.cancelRequests.entrySet().stream()
                .limit(limit)
                .map(wanted -> new CancelRequest(wanted.getKey(), wanted.getValue()))
                .toList();
    }

    @Override
    public Set<Slot> cancelWaiting(Epoch epoch, List<CancelRequest> requests) {
        tables.reach("cancel waiting executions");
        Set<Slot> cancelled = new HashSet<>();
        if (!tables.isOwner(epoch)) {
            return cancelled;
        }
        for (CancelRequest request : requests) {
            MemoryRow row = tables.row(request.slot());
            if (row != null && row.waits()) {
                row.state = ExecutionState.CANCELLED;
                row.endedMillis = tables.nowMillis();
                row.dueMillis = null;
                row.heldBy = null;
                row.reason = request.reason();
                cancelled.add(row.slot);
            }
            if (row == null || row.state.isFinal()) {
                tables.cancelRequests.remove(request.slot());
            }
        }
        return cancelled;
    }

    /** Does nothing: tasks are paused when their failures are recorded, because no row is ever locked. */
    @Override
    public void pauseFailing(Epoch epoch) {
        tables.reach("pause failing tasks");
    }

    @Override
    public StalledTask.StalledTaskPage stalled(long afterTaskId, int most) {
        tables.reach("read stalled tasks");
        List<StalledTask> stalled = tables.tasks.values().stream()
                .filter(task -> task.progress().state() == TaskState.ACTIVE
                        && task.progress().nextFireMillis().isEmpty()
                        && tables.openRowsOf(task.id()).findAny().isEmpty())
                .map(this::stalled)
                .toList();
        return new StalledTask.StalledTaskPage(stalled, StalledTask.FROM_THE_FIRST);
    }

    private StalledTask stalled(Task task) {
        Collection<MemoryRow> rows = tables.rowsOf(task.id());
        MemoryRow last = rows.isEmpty() ? null : new ArrayList<>(rows).get(rows.size() - 1);
        return new StalledTask(
                task.id(),
                task.content().app(),
                task.content().name(),
                task.content().definition(),
                last == null || last.endedMillis == null ? 0 : last.endedMillis);
    }

    @Override
    public void restart(Epoch epoch, Map<Long, Long> nextMillis) {
        tables.reach("restart stalled tasks");
        if (tables.isOwnerOrDrains(epoch)) {
            new TreeMap<>(nextMillis).forEach(tables::reschedule);
        }
    }

    @Override
    public Set<Long> tasksThatDrain() {
        tables.reach("read tasks that drain");
        return tables.openRows()
                .filter(row -> row.isClaimed() && tables.drains(row.epoch))
                .map(row -> row.slot.taskId())
                .collect(Collectors.toCollection(HashSet::new));
    }

    @Override
    public int enterPassedSlots(Epoch epoch) {
        tables.reach("enter passed slots");
        if (!tables.isOwner(epoch)) {
            return 0;
        }
        int entered = (int) tables.passed.stream().filter(this::enter).count();
        tables.passed.clear();
        return entered;
    }

    private boolean enter(MemoryTables.PassedRow passed) {
        PassedSlots slots = passed.slots();
        int had = tables.row(new Slot(passed.taskId(), slots.firstMillis())) == null ? 0 : 1;
        if (slots.slots() <= had) {
            return false;
        }
        MemoryRow row = new MemoryRow(
                new Slot(passed.taskId(), had == 0 ? slots.firstMillis() : slots.secondMillis()),
                passed.name().app(),
                passed.name().name(),
                ExecutionState.valueOf(slots.outcome().name()));
        row.endedMillis = tables.nowMillis();
        row.slots = slots.slots() - had;
        row.untilMillis = row.slots > 1 ? slots.lastMillis() : row.slot.fireTimeMillis();
        row.reason = slots.reason();
        return tables.enter(row);
    }

    @Override
    public List<ReleaseRequest> takeReleaseRequests(Epoch epoch, int limit) {
        tables.reach("read release requests");
        return List.of();
    }
}
