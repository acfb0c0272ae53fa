package io.twinbell.node.engine.worker;

import io.twinbell.node.engine.handler.HandlerOutcome;
import io.twinbell.node.engine.run.AppHash;
import io.twinbell.node.engine.run.Run;
import io.twinbell.node.engine.task.Followers;
import io.twinbell.persistence.ledger.Completion;
import io.twinbell.persistence.ledger.ExecutionState;

/**
 * A change to a claimed row that waits to be recorded: an outcome, a running mark, or a return to waiting. The recorder
 * computes the completion from the outcome, because the worker has other runs to start.
 */
final class PendingRecord {
    private static final Completion.RunTimes NEVER = new Completion.RunTimes(Long.MAX_VALUE, Long.MAX_VALUE);

    private final Run run;
    private final HandlerOutcome outcome;
    private final long endedMicros;
    private final String waitedLimit;
    private Completion completion;

    /** @param endedMicros the run's end, by the database's clock in microseconds since 1970 UTC */
    PendingRecord(Run run, HandlerOutcome outcome, long endedMicros) {
        this(run, outcome, endedMicros, null, null);
    }

    private PendingRecord(Run run, Completion completion, String waitedLimit) {
        this(run, null, Long.MAX_VALUE, completion, waitedLimit);
    }

    private PendingRecord(
            Run run, HandlerOutcome outcome, long endedMicros, Completion completion, String waitedLimit) {
        this.run = run;
        this.outcome = outcome;
        this.endedMicros = endedMicros;
        this.completion = completion;
        this.waitedLimit = waitedLimit;
    }

    /** Marks a run as running. */
    static PendingRecord running(Run run) {
        Completion.RunTimes times = new Completion.RunTimes(run.startedMicros(), Long.MAX_VALUE);
        return new PendingRecord(run, completion(run, ExecutionState.RUNNING, times), null);
    }

    /**
     * Makes a run wait in the ledger.
     *
     * @param waitedLimit the limit that it waits for; null if it waits for another run of its task
     */
    static PendingRecord waiting(Run run, String waitedLimit) {
        return new PendingRecord(run, completion(run, ExecutionState.PENDING, NEVER), waitedLimit);
    }

    /** Ends a row that no run could be made of. */
    static PendingRecord unrun(Completion completion) {
        return new PendingRecord(null, completion, null);
    }

    private static Completion completion(Run run, ExecutionState state, Completion.RunTimes times) {
        return new Completion(
                run.epoch(),
                run.slot(),
                run.attempt().attempt(),
                state,
                times,
                Completion.Text.NONE,
                Completion.NOT_FOLLOWED);
    }

    /** Null if no run could be made of the row. */
    Run run() {
        return run;
    }

    long taskId() {
        return run == null ? completion.slot().taskId() : run.slot().taskId();
    }

    /** The {@link AppHash}; {@link AppHash#UNKNOWN} if no run could be made of the row. */
    short app() {
        return run == null ? AppHash.UNKNOWN : run.app();
    }

    /** Whether other tasks follow the executions of its task. */
    boolean hasFollowers() {
        return run != null && run.definition().followers().areAny();
    }

    /** How many rows it writes at most: its own, and one for each follower. */
    int rows() {
        if (outcome == null || !hasFollowers()) {
            return 1;
        }
        Followers followers = run.definition().followers();
        boolean isSuccess = outcome.state() == ExecutionState.SUCCEEDED;
        return 1 + (isSuccess ? followers.afterSuccess() : followers.afterFailure());
    }

    /** The limit that it waits for; null for none. */
    String waitedLimit() {
        return waitedLimit;
    }

    boolean returnsToPending() {
        return completion().state() == ExecutionState.PENDING;
    }

    boolean isQueueing() {
        return returnsToPending() && waitedLimit == null;
    }

    /** Whether its handler's work was committed in the transaction that recorded its outcome. */
    boolean isCommittedWithWork() {
        return outcome != null && outcome.isCommitted();
    }

    /** Whether an attempt was made and has ended. */
    boolean isOver() {
        return outcome != null;
    }

    /** A copy with the reason in place of all texts; null if it has no texts or does not end an attempt. */
    PendingRecord withoutTexts(String reason) {
        Completion whole = completion();
        boolean hasTexts = !whole.text().equals(Completion.Text.NONE);
        if (!hasTexts || !whole.endsAttempt() || returnsToPending()) {
            return null;
        }
        Completion bare = new Completion(
                whole.epoch(),
                whole.slot(),
                whole.attempt(),
                whole.state(),
                whole.run(),
                new Completion.Text(null, null, whole.text().errorCode(), reason),
                whole.nextMillis(),
                whole.retry(),
                whole.pauseAfter());
        return new PendingRecord(run, outcome, endedMicros, bare, waitedLimit);
    }

    /** The completion, computed at the first call. One thread only. */
    Completion completion() {
        if (completion == null) {
            completion = ofOutcome();
        }
        return completion;
    }

    private String reason() {
        return outcome.reason() == null ? RetryDecision.unusedAttempts(run, outcome) : outcome.reason();
    }

    private Completion ofOutcome() {
        long endedMillis = endedMicros / 1000;
        boolean isSkipped = outcome.state() == ExecutionState.SKIPPED;
        boolean isTriedAgain = RetryDecision.isRetried(run, outcome);
        return new Completion(
                run.epoch(),
                run.slot(),
                run.attempt().attempt(),
                isTriedAgain ? ExecutionState.RETRYING : outcome.state(),
                new Completion.RunTimes(isSkipped ? Long.MAX_VALUE : run.startedMicros(), endedMicros),
                new Completion.Text(outcome.output(), outcome.error(), outcome.errorCode(), reason()),
                // If a run was skipped because it overlapped another, that other run sets the next fire time. A run
                // that an interceptor skipped had begun, so its own end counts.
                isTriedAgain || isSkipped && !run.hasStarted()
                        ? Completion.NOT_FOLLOWED
                        : OutcomeRecorder.nextAfter(run.definition().schedule(), endedMillis),
                isTriedAgain ? RetryDecision.next(run, outcome, endedMillis) : null,
                run.definition().pauseOnFailure());
    }
}
