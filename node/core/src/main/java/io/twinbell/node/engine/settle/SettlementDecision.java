package io.twinbell.node.engine.settle;

import io.twinbell.node.engine.task.OrphanPolicy;
import io.twinbell.node.engine.task.TaskDefinition;
import io.twinbell.node.engine.trigger.LookAhead;
import io.twinbell.node.engine.worker.OutcomeRecorder;
import io.twinbell.persistence.ledger.Attempt;
import io.twinbell.persistence.ledger.Completion;
import io.twinbell.persistence.ledger.ExecutionState;
import io.twinbell.persistence.ledger.recovery.Settlement;

/** Decides what a successor does with an attempt that is certainly over. A pure function. */
public final class SettlementDecision {
    /**
     * The least number of attempts for a task that reruns its orphans, whatever its retry policy says. A node may fail
     * twice for reasons outside the task, but a task that crashes its nodes must stop at some point.
     */
    public static final int ATTEMPTS_OF_A_RERUN = 3;

    private SettlementDecision() {}

    /**
     * @param definition null if the task was removed or cannot be read
     * @param overMillis since when its process certainly started nothing; not later than now
     */
    public static Settlement decide(Attempt orphan, TaskDefinition definition, long overMillis, long nowMillis) {
        if (definition == null) {
            return new Settlement(
                    orphan, 0, ExecutionState.DROPPED, left(orphan) + "; its task is gone", Completion.NOT_FOLLOWED);
        }
        if (isUnstarted(orphan.slot().fireTimeMillis(), overMillis)) {
            return new Settlement(
                    orphan,
                    orphan.attempt(),
                    ExecutionState.CLAIMED,
                    left(orphan) + " before it was due",
                    Completion.NOT_FOLLOWED);
        }
        boolean reruns = definition.orphan() == OrphanPolicy.RERUN;
        if (reruns && orphan.counted() < Math.max(definition.retry().maxAttempts(), ATTEMPTS_OF_A_RERUN)) {
            return new Settlement(
                    orphan,
                    orphan.attempt() + 1,
                    ExecutionState.CLAIMED,
                    left(orphan) + "; run again",
                    Completion.NOT_FOLLOWED);
        }
        return new Settlement(
                orphan,
                0,
                reruns ? ExecutionState.FAILED : ExecutionState.DROPPED,
                left(orphan) + (reruns ? "; its attempts are used up" : "; dropped"),
                OutcomeRecorder.nextAfter(definition.schedule(), nowMillis));
    }

    /**
     * Nothing starts before its fire time. But a claim further ahead than {@link LookAhead#LONGEST} was made by a clock
     * that has been set back since, so its run may have started.
     */
    private static boolean isUnstarted(long fireMillis, long overMillis) {
        return fireMillis > overMillis && fireMillis <= overMillis + LookAhead.LONGEST.toMillis();
    }

    private static String left(Attempt orphan) {
        return "attempt " + orphan.attempt() + " was left without an outcome by " + orphan.node() + " (epoch "
                + orphan.epoch() + ")";
    }
}
