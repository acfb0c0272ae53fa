package io.twinbell.tools.check.history;

import java.util.OptionalLong;

/**
 * A task whose history is walked.
 *
 * @param taskPosition the task's current state
 * @param owedRange the part of the history that its current definition covers
 */
public record WalkedTask(long id, String name, RuleContext context, TaskPosition taskPosition, OwedRange owedRange) {
    /**
     * The current state of a task.
     *
     * @param nextMillis its next fire time
     * @param isPaused whether the task does not fire
     * @param isHeldBack whether none of its slots may be claimed: firing is paused for the cluster, or a limit may
     *     be full
     */
    public record TaskPosition(OptionalLong nextMillis, boolean isPaused, boolean isHeldBack) {}

    /**
     * The verified part of a task's history, in epoch milliseconds.
     *
     * @param beginsHere whether the first slot of the current definition is the one at {@code fromMillis}
     * @param owedUntilMillis slots before this must be in the ledger
     * @param followsTheRun whether the end of each run determines the next fire time; false for a timetable
     */
    public record OwedRange(long fromMillis, boolean beginsHere, long owedUntilMillis, boolean followsTheRun) {}
}
