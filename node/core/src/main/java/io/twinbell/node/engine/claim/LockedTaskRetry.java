package io.twinbell.node.engine.claim;

import io.twinbell.node.engine.definition.HeapTableSync;
import io.twinbell.node.engine.run.AppHash;
import io.twinbell.node.engine.trigger.ActionQueue;
import io.twinbell.node.engine.trigger.HeapAction;
import io.twinbell.persistence.ledger.claim.DecidedSlot;
import io.twinbell.persistence.ledger.claim.DueTask;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Retries, with every pass, tasks whose row was locked by another transaction when their slot was to be claimed.
 * Claimer's thread only.
 */
final class LockedTaskRetry {
    private final HeapTableSync table;
    private final ActionQueue actions;
    private final OverdueBacklog backlog;
    private final List<LockedSlot> held = new ArrayList<>();

    private record LockedSlot(long taskId, long fireMillis, int priority, short app) {}

    LockedTaskRetry(HeapTableSync table, ActionQueue actions, OverdueBacklog backlog) {
        this.table = table;
        this.actions = actions;
        this.backlog = backlog;
    }

    void clear() {
        held.clear();
    }

    boolean isEmpty() {
        return held.isEmpty();
    }

    /** A claim that changed no row was decided on outdated data, or the row is locked. */
    void retryLater(List<DecidedSlot> unmoved) {
        Map<Long, DueTask> found =
                table.read(unmoved.stream().mapToLong(DecidedSlot::taskId).toArray());
        for (DecidedSlot claim : unmoved) {
            DueTask task = found.get(claim.taskId());
            boolean isUnchanged = task != null
                    && task.version() == claim.version()
                    && task.nextFireMillis() == claim.expectedMillis();
            if (isUnchanged) {
                held.add(new LockedSlot(
                        claim.taskId(), claim.expectedMillis(), task.priority(), AppHash.of(task.app())));
                actions.add(new HeapAction.Remove(claim.taskId()));
            }
        }
    }

    /**
     * Puts the tasks into the heap as due now. Claims do not wait for a locked row, and the slots do not count as late.
     */
    void tryAgain(long nowMillis) {
        for (LockedSlot task : held) {
            backlog.postponeUntil(task.taskId(), task.fireMillis(), nowMillis);
            actions.add(HeapAction.Put.one(task.taskId(), nowMillis, task.priority(), task.app()));
        }
        held.clear();
    }
}
