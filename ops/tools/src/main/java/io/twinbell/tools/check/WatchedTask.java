package io.twinbell.tools.check;

import java.util.List;
import java.util.OptionalLong;

/** A task of which everything is known that the checker needs. */
public record WatchedTask(long id, String name, OwedSlotPlan plan, TaskPolicyFacts policies, Watch watch) {
    /**
     * How long it was watched, in epoch milliseconds.
     *
     * @param owedUntil every slot up to here must be in the ledger; a later one may be
     * @param standsAt the next fire time that the task had when it was stopped; empty if it had none
     * @param changes when somebody changed, paused or removed it
     */
    public record Watch(long owedUntil, OptionalLong standsAt, List<RuleContext.Change> changes) {
        public Watch {
            changes = List.copyOf(changes);
        }
    }

    /** Nobody has a hand in a task that is watched, but for the changes that are known. */
    RuleContext context() {
        return new RuleContext(policies, Long.MIN_VALUE, watch.changes(), false);
    }
}
