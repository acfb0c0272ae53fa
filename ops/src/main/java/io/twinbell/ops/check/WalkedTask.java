package io.twinbell.ops.check;

import java.util.OptionalLong;

/**
 * A task whose history is walked.
 *
 * @param standsAt its next fire time
 * @param stretch the part of the history that its present definition tells
 */
public record WalkedTask(long id, String name, Policies policies, OptionalLong standsAt, Stretch stretch) {
    /**
     * What explains that something is not as simple as one attempt a slot.
     *
     * @param reruns whether its orphan policy is RERUN
     * @param maxAttempts of its retry policy
     * @param timeoutMillis empty if a run may take as long as it likes
     */
    public record Policies(boolean reruns, boolean queues, int maxAttempts, OptionalLong timeoutMillis) {}

    /**
     * Epoch milliseconds.
     *
     * @param beginsHere whether the first slot of the present definition is the one at {@code fromMillis}
     * @param owedUntilMillis slots before this must be in the ledger
     * @param followsTheRun whether the end of each run tells the next fire time; false for a timetable
     */
    public record Stretch(long fromMillis, boolean beginsHere, long owedUntilMillis, boolean followsTheRun) {}
}
