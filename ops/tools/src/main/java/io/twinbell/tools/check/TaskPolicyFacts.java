package io.twinbell.tools.check;

import java.util.OptionalLong;

/**
 * What a task's definition says of trouble.
 *
 * @param reruns whether its orphan policy is RERUN
 * @param maxAttempts of its retry policy: that many are explained without a change of master
 * @param thresholdMillis how late the oldest overdue slot has to be for a misfire; empty if that is not known
 * @param timeoutMillis empty if a run may take as long as it likes
 */
public record TaskPolicyFacts(
        boolean reruns, Overlap overlap, int maxAttempts, OptionalLong thresholdMillis, OptionalLong timeoutMillis) {
    /** So many attempts a task that reruns orphans has by settlements at least, whatever its retry policy says. */
    public static final int ATTEMPTS_OF_A_RERUN = 3;

    /** What a slot does that meets another run of its task. */
    public enum Overlap {
        ALLOW,
        SKIP,
        QUEUE,
        CANCEL_RUNNING;

        /** Whether slots may be SKIPPED for it. */
        boolean skips() {
            return this == SKIP || this == QUEUE;
        }
    }

    boolean overlaps() {
        return overlap == Overlap.ALLOW;
    }

    boolean queues() {
        return overlap == Overlap.QUEUE;
    }
}
