package io.twinbell.persistence.ledger;

import java.util.EnumSet;
import java.util.Set;

/**
 * Which executions are meant; null, and an empty set, ask for nothing.
 *
 * @param fromMillis the earliest fire time
 * @param untilMillis fire times before this one
 * @param node that claimed it last
 * @param epoch that it was claimed under last
 * @param inDoubt only those that may have run on a primary that was lost together with its master
 */
public record ExecutionFilter(
        OfTask task,
        Set<ExecutionState> states,
        Long fromMillis,
        Long untilMillis,
        String node,
        Long epoch,
        boolean inDoubt) {
    public ExecutionFilter {
        states = states.isEmpty() ? Set.of() : Set.copyOf(EnumSet.copyOf(states));
    }

    /**
     * Whose executions.
     *
     * @param name the whole name
     * @param tag that the task has today; a removed task has none
     */
    public record OfTask(Long id, String app, String name, String tag) {
        public static final OfTask ANY = new OfTask(null, null, null, null);
    }

    public static ExecutionFilter ofTask(long taskId) {
        return new ExecutionFilter(new OfTask(taskId, null, null, null), Set.of(), null, null, null, null, false);
    }
}
