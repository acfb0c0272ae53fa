package io.twinbell.tools.check.history;

import java.util.List;
import java.util.OptionalLong;

/**
 * The facts that may explain the rows of a task: its policies, and the changes that people made.
 *
 * @param policiesSinceMillis decisions before this may have used other policies
 * @param changes when the task was, or may have been, changed, paused or removed
 * @param people whether people may have paused firing, or run again or released an execution
 */
public record RuleContext(TaskPolicyFacts policies, long policiesSinceMillis, List<Change> changes, boolean people) {
    public RuleContext {
        changes = List.copyOf(changes);
    }

    /** For a task that was never changed and that no person touched. */
    public RuleContext(TaskPolicyFacts policies) {
        this(policies, Long.MIN_VALUE, List.of(), false);
    }

    /** A change of the task at some instant of this span, both ends included. */
    public record Change(long fromMillis, long untilMillis) {
        /** A change at an unknown instant. */
        public static final Change ANY_TIME = new Change(Long.MIN_VALUE, Long.MAX_VALUE);

        /** A change at a known instant. */
        public static Change at(long millis) {
            return new Change(millis, millis);
        }
    }

    /** Whether the policies are known to have applied at this instant. */
    public boolean arePoliciesKnownAt(long millis) {
        return millis >= policiesSinceMillis;
    }

    /** The latest instant in the span at which the task may have been changed; empty if it was not. */
    public OptionalLong lastChange(long fromMillis, long untilMillis) {
        return changes.stream()
                .filter(change -> change.fromMillis() <= untilMillis && change.untilMillis() >= fromMillis)
                .mapToLong(change -> Math.min(change.untilMillis(), untilMillis))
                .max();
    }
}
