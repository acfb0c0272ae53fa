package io.twinbell.tools.check;

import java.util.List;
import java.util.OptionalLong;

/**
 * What may be a reason for what the rows of a task say.
 *
 * @param policiesSinceMillis what was decided before this may have been decided by other policies
 * @param changes when somebody changed, paused or removed the task, or may have
 * @param people whether somebody may have paused firing, run an execution again or let go of one
 */
public record RuleContext(TaskPolicyFacts policies, long policiesSinceMillis, List<Change> changes, boolean people) {
    public RuleContext {
        changes = List.copyOf(changes);
    }

    /** Of a task that has always been as it is, and that nobody but its scheduler had to do with. */
    public RuleContext(TaskPolicyFacts policies) {
        this(policies, Long.MIN_VALUE, List.of(), false);
    }

    /** Somebody changed the task at an instant of this span; both ends belong to it. */
    public record Change(long fromMillis, long untilMillis) {
        /** Of which the instant is not known. */
        public static final Change ANY_TIME = new Change(Long.MIN_VALUE, Long.MAX_VALUE);

        /** At an instant that is known. */
        public static Change at(long millis) {
            return new Change(millis, millis);
        }
    }

    /** Whether the policies were the task's when something was decided. */
    boolean knowPoliciesAt(long millis) {
        return millis >= policiesSinceMillis;
    }

    /** When somebody can have changed the task last, within the span; empty if nobody did. */
    OptionalLong lastChange(long fromMillis, long untilMillis) {
        return changes.stream()
                .filter(change -> change.fromMillis() <= untilMillis && change.untilMillis() >= fromMillis)
                .mapToLong(change -> Math.min(change.untilMillis(), untilMillis))
                .max();
    }
}
