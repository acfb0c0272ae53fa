package io.twinbell.tools.check.history;

import java.util.List;
import java.util.OptionalLong;

/** A task whose definition and changes the checker knows completely. */
public record WatchedTask(long id, String name, OwedSlotPlan plan, TaskPolicyFacts policies, WatchPeriod watch) {
    /**
     * How long the task was watched, in epoch milliseconds.
     *
     * @param owedUntil every slot up to here must be in the ledger; later ones may be
     * @param standsAt the task's next fire time when it was stopped; empty if it had none
     * @param changes when the task was changed, paused or removed
     */
    public record WatchPeriod(long owedUntil, OptionalLong standsAt, List<RuleContext.Change> changes) {
        public WatchPeriod {
            changes = List.copyOf(changes);
        }
    }

    /** The context for rules: no person touches a watched task, except for the known changes. */
    public RuleContext context() {
        return new RuleContext(policies, Long.MIN_VALUE, watch.changes(), false);
    }
}
