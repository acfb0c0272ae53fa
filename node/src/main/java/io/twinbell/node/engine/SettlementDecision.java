package io.twinbell.node.engine;

import io.twinbell.node.task.OrphanPolicy;
import io.twinbell.node.task.TaskDefinition;
import io.twinbell.persistence.ledger.Attempt;
import io.twinbell.persistence.ledger.Completion;
import io.twinbell.persistence.ledger.Settlement;

/** What a successor does with an attempt that is surely over: a pure decision. */
final class SettlementDecision {
    private SettlementDecision() {}

    /**
     * @param definition null if the task was removed or cannot be read
     * @param overMillis from when on its process certainly started nothing; not later than now
     */
    static Settlement decide(Attempt orphan, TaskDefinition definition, long overMillis, long nowMillis) {
        if (definition == null) {
            return new Settlement(orphan, 0, left(orphan) + "; its task is gone", Completion.NOT_FOLLOWED);
        }
        if (orphan.slot().fireTimeMillis() > overMillis) {
            return new Settlement(
                    orphan, orphan.attempt(), left(orphan) + " before it was due", Completion.NOT_FOLLOWED);
        }
        if (definition.orphan() == OrphanPolicy.RERUN) {
            return new Settlement(orphan, orphan.attempt() + 1, left(orphan) + "; run again", Completion.NOT_FOLLOWED);
        }
        return new Settlement(
                orphan, 0, left(orphan) + "; dropped", Outcomes.nextAfter(definition.schedule(), nowMillis));
    }

    private static String left(Attempt orphan) {
        return "attempt " + orphan.attempt() + " was left without an outcome by " + orphan.node() + " (epoch "
                + orphan.epoch() + ")";
    }
}
