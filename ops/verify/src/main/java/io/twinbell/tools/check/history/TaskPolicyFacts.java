package io.twinbell.tools.check.history;

import io.twinbell.node.engine.task.Overlap;
import java.util.OptionalLong;

/**
 * A task's policies as far as rules depend on them.
 *
 * @param reruns whether its orphan policy is RERUN
 * @param maxAttempts the retry policy's limit; up to this many attempts are explained without a change of master
 * @param thresholdMillis how late the oldest overdue slot must be for a misfire; empty if unknown
 * @param timeoutMillis empty if a run has no time limit
 * @param expireMillis how long after its fire time a slot may start; empty if it does not expire
 */
public record TaskPolicyFacts(
        boolean reruns,
        Overlap overlap,
        int maxAttempts,
        OptionalLong thresholdMillis,
        OptionalLong timeoutMillis,
        OptionalLong expireMillis) {
    /** A task whose slots do not expire. */
    public TaskPolicyFacts(
            boolean reruns,
            Overlap overlap,
            int maxAttempts,
            OptionalLong thresholdMillis,
            OptionalLong timeoutMillis) {
        this(reruns, overlap, maxAttempts, thresholdMillis, timeoutMillis, OptionalLong.empty());
    }

    /** The least number of attempts that settling allows a task that reruns orphans, whatever its retry policy says. */
    public static final int ATTEMPTS_OF_A_RERUN = 3;

    public boolean overlaps() {
        return overlap == Overlap.ALLOW;
    }

    public boolean queues() {
        return overlap == Overlap.QUEUE;
    }

    /** Whether the overlap policy allows SKIPPED slots. */
    public boolean skipsOverlaps() {
        return overlap == Overlap.SKIP || overlap == Overlap.QUEUE;
    }
}
