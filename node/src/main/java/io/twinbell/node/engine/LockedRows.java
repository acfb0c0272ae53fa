package io.twinbell.node.engine;

import io.twinbell.persistence.ledger.Claim;
import io.twinbell.persistence.ledger.DueTask;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Tasks whose row somebody held when their slot was to be claimed: tried again with every pass. Claimer's thread only. */
final class LockedRows {
    private final TableReads table;
    private final ActionQueue actions;
    private final List<Action.Put> held = new ArrayList<>();

    LockedRows(TableReads table, ActionQueue actions) {
        this.table = table;
        this.actions = actions;
    }

    void clear() {
        held.clear();
    }

    boolean isEmpty() {
        return held.isEmpty();
    }

    /** A claim that changed no row was decided on something outdated, or somebody holds the row. */
    void lookAgainAt(List<Claim> unmoved) {
        Map<Long, DueTask> found =
                table.read(unmoved.stream().mapToLong(Claim::taskId).toArray());
        for (Claim claim : unmoved) {
            DueTask task = found.get(claim.taskId());
            boolean isUnchanged = task != null
                    && task.version() == claim.version()
                    && task.nextFireMillis() == claim.expectedMillis();
            if (isUnchanged) {
                held.add(Action.Put.one(claim.taskId(), claim.expectedMillis(), task.priority()));
                actions.add(new Action.Remove(claim.taskId()));
            }
        }
    }

    /** Nobody waits for such a row. */
    void tryAgain() {
        held.forEach(actions::add);
        held.clear();
    }
}
