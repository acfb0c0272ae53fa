package io.twinbell.tools.check.history;

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
        OverlapPolicy overlap,
        int maxAttempts,
        OptionalLong thresholdMillis,
        OptionalLong timeoutMillis,
        OptionalLong expireMillis) {
    /** A task whose slots do not expire. */
    public TaskPolicyFacts(
            boolean reruns,
            OverlapPolicy overlap,
            int maxAttempts,
            OptionalLong thresholdMillis,
            OptionalLong timeoutMillis) {
        this(reruns, overlap, maxAttempts, thresholdMillis, timeoutMillis, OptionalLong.empty());
    }

    /** The least number of attempts that settling allows a task that reruns orphans, whatever its retry policy says. */
    public static final int ATTEMPTS_OF_A_RERUN = 3;

    /** The overlap policy: what happens to a slot that meets another run of its task. */
    public enum OverlapPolicy {
        ALLOW,
        SKIP,
        QUEUE,
        CANCEL_RUNNING;

        /** Whether the policy allows SKIPPED slots. */
        public boolean skips() {
            return this == SKIP || this == QUEUE;
        }
    }

    public boolean overlaps() {
        return overlap == OverlapPolicy.ALLOW;
    }

    public boolean queues() {
        return overlap == OverlapPolicy.QUEUE;
    }
}
