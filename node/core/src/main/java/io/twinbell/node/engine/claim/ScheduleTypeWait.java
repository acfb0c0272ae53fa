package io.twinbell.node.engine.claim;

import io.twinbell.node.engine.decision.SlotDecision;
import io.twinbell.node.engine.definition.Definitions;
import io.twinbell.node.engine.definition.HeapTableSync;
import io.twinbell.node.engine.task.ScheduleTypeException;
import io.twinbell.node.engine.trigger.ActionQueue;
import io.twinbell.node.engine.trigger.HeapAction;
import io.twinbell.persistence.ledger.claim.DecidedSlot;

/**
 * Makes slots wait if this node lacks their schedule type, or if the code of the type fails. They stay due and
 * unclaimed, so none is lost: a node that can compute the next fire time claims them, by the misfire policy. Called
 * under the claimer's lock.
 */
record ScheduleTypeWait(HeapTableSync table, ClaimIsolation isolation, OverdueBacklog backlog, ActionQueue actions) {
    /** Postpones the slot if the definition cannot be compiled here now; returns whether it did. */
    boolean postpones(long id, Definitions.KnownDefinition known, long fireMillis, long nowMillis) {
        if (known.waits()) {
            postpone(id, known, fireMillis, nowMillis, known.error());
        }
        return known.waits();
    }

    /** Decides the slot; returns null if that needs a fire time that cannot be computed now. */
    DecidedSlot decide(SlotDecision.Due due, Definitions.KnownDefinition known, SlotDecision.DecisionContext context) {
        try {
            return SlotDecision.decide(due, context);
        } catch (ScheduleTypeException e) {
            postpone(due.taskId(), known, due.fireMillis(), context.nowMillis(), e.getMessage());
            return null;
        }
    }

    /** Puts the slot into the heap again, under a later time. */
    private void postpone(long id, Definitions.KnownDefinition known, long fireMillis, long nowMillis, String why) {
        table.forget(id);
        Long putOff = isolation.putOffUntil(id, nowMillis);
        long until =
                putOff != null ? putOff : isolation.putOff(id, fireMillis, new ScheduleTypeException(why), nowMillis);
        backlog.postponeUntil(id, fireMillis, until);
        actions.add(HeapAction.Put.one(id, until, known.priority(), known.app()));
    }
}
