package io.twinbell.tools.check;

import java.util.OptionalLong;

/**
 * A task whose history is walked.
 *
 * @param stand where it stands today
 * @param stretch the part of the history that its present definition tells
 */
public record WalkedTask(long id, String name, RuleContext context, Stand stand, Stretch stretch) {
    /**
     * Where a task stands.
     *
     * @param nextMillis its next fire time
     * @param isPaused whether it does not fire
     * @param isHeldBack whether nothing of it may be claimed: firing is paused for all, or a limit may be full
     */
    public record Stand(OptionalLong nextMillis, boolean isPaused, boolean isHeldBack) {}

    /**
     * Epoch milliseconds.
     *
     * @param beginsHere whether the first slot of the present definition is the one at {@code fromMillis}
     * @param owedUntilMillis slots before this must be in the ledger
     * @param followsTheRun whether the end of each run tells the next fire time; false for a timetable
     */
    public record Stretch(long fromMillis, boolean beginsHere, long owedUntilMillis, boolean followsTheRun) {}
}
