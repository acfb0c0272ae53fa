package io.twinbell.node.memory;

import io.twinbell.persistence.ledger.ExecutionState;
import io.twinbell.persistence.ledger.Slot;
import io.twinbell.persistence.task.Task;
import java.util.Set;
import java.util.function.LongPredicate;

/** Requests of people: a run by hand, a cancellation and a rerun, in the tables in memory. */
public record MemoryRequests(MemoryTables tables) {
    private static final Set<ExecutionState> NEVER_STARTED = Set.of(ExecutionState.SKIPPED, ExecutionState.MISSED);

    /**
     * Enters a run of the task at the current time, or at the next free millisecond.
     *
     * @param planned tests whether an instant is a fire time of the task's schedule
     * @param data JSON text that takes the place of the task's data; null to use the task's data
     */
    public Slot trigger(Task task, LongPredicate planned, String reason, String data) {
        tables.reach("trigger a task");
        long at = tables.nowMillis();
        while (isTaken(task, at, planned)) {
            at = FreeSlots.first(tables, task, at + 1);
        }
        MemoryRow row = new MemoryRow(
                new Slot(task.id(), at), task.content().app(), task.content().name(), ExecutionState.PENDING);
        row.origin = "TRIGGERED";
        row.reason = reason;
        row.data = data;
        tables.enter(row);
        tables.listener().ledgerChanged();
        return row.slot;
    }

    private boolean isTaken(Task task, long at, LongPredicate planned) {
        boolean isNext = task.progress().nextFireMillis().orElse(Long.MAX_VALUE) == at;
        return isNext || planned.test(at) || tables.row(new Slot(task.id(), at)) != null;
    }

    /** Requests a cancellation; false if the execution has ended. */
    public boolean cancel(Slot slot, String reason) {
        tables.reach("request a cancellation");
        MemoryRow row = tables.row(slot);
        if (row == null || row.state.isFinal()) {
            return false;
        }
        tables.cancelRequests.putIfAbsent(slot, reason);
        tables.listener().ledgerChanged();
        return true;
    }

    /** Makes an ended execution wait again, as the next attempt of its slot; false if it cannot run again. */
    public boolean rerun(Slot slot, String reason) {
        tables.reach("run an execution again");
        MemoryRow row = tables.row(slot);
        if (row == null || obstacle(row) != null) {
            return false;
        }
        if (!NEVER_STARTED.contains(row.state)) {
            row.keepAttempt(row.state.name(), row.reason);
            row.attempt++;
        }
        row.reruns++;
        row.checkpoint = row.state == ExecutionState.SUCCEEDED ? null : row.checkpoint;
        row.state = ExecutionState.PENDING;
        row.inTurn = true;
        row.queued = false;
        row.dueMillis = null;
        row.epoch = null;
        row.node = null;
        row.batch = null;
        row.claimedMillis = null;
        row.startedMillis = null;
        row.endedMillis = null;
        row.output = null;
        row.error = null;
        row.errorCode = null;
        row.snoozedSinceMillis = null;
        row.reason = reason;
        tables.reopen(row);
        tables.listener().ledgerChanged();
        return true;
    }

    /** Why an execution cannot run again; null if it can. */
    public String obstacle(MemoryRow row) {
        if (!row.state.isFinal()) {
            return "it has not ended: " + row.state;
        } else if (row.slots > 1) {
            return "it represents " + row.slots + " slots";
        }
        return tables.tasks.containsKey(row.slot.taskId()) ? null : "its task was removed";
    }
}
