package io.twinbell.node.engine.worker;

import io.twinbell.node.engine.run.Run;
import io.twinbell.node.handler.call.HandlerOutcome;
import io.twinbell.node.task.definition.Retry;
import io.twinbell.persistence.ledger.Completion;
import io.twinbell.persistence.ledger.ExecutionState;
import io.twinbell.persistence.ledger.Slot;
import java.util.SplittableRandom;

/** Decides whether a failed attempt is followed by another, and when. A pure function. */
public final class RetryDecision {
    private RetryDecision() {}

    /** Failed and timed-out attempts are retried while attempts are left, if the policy names no codes but theirs. */
    static boolean isRetried(Run run, HandlerOutcome outcome) {
        return hasFailedEarly(run, outcome) && refusal(run, outcome) == null;
    }

    /** Returns why a failed attempt is not followed by another although attempts are left; else null. */
    static String unusedAttempts(Run run, HandlerOutcome outcome) {
        String refusal = hasFailedEarly(run, outcome) ? refusal(run, outcome) : null;
        return refusal == null ? null : "not tried again, because " + refusal;
    }

    private static boolean hasFailedEarly(Run run, HandlerOutcome outcome) {
        boolean hasFailed = outcome.state() == ExecutionState.FAILED || outcome.state() == ExecutionState.TIMED_OUT;
        return hasFailed && run.attempt().attempt() < run.definition().retry().maxAttempts();
    }

    private static String refusal(Run run, HandlerOutcome outcome) {
        return run.definition().retry().codes().refusal(outcome.errorCode());
    }

    public static Completion.NextAttempt next(Run run, HandlerOutcome outcome, long endedMillis) {
        int attempt = run.attempt().attempt();
        Retry retry = run.definition().retry();
        return new Completion.NextAttempt(
                endedMillis + retry.waitMillis(attempt, chance(run.slot(), attempt), outcome.askedWait()),
                outcome.state());
    }

    /** Random, but always the same for one attempt of one slot. */
    private static double chance(Slot slot, int attempt) {
        return new SplittableRandom(31 * (31 * slot.taskId() + slot.fireTimeMillis()) + attempt).nextDouble();
    }
}
