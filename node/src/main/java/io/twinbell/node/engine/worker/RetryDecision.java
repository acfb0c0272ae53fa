package io.twinbell.node.engine.worker;

import io.twinbell.node.engine.run.Run;
import io.twinbell.node.handler.HandlerOutcome;
import io.twinbell.node.task.Retry;
import io.twinbell.persistence.ledger.Completion;
import io.twinbell.persistence.ledger.ExecutionState;
import io.twinbell.persistence.ledger.Slot;
import java.util.SplittableRandom;

/** Whether an attempt is followed by another, and when: a pure decision. */
public final class RetryDecision {
    private RetryDecision() {}

    /** What failed or ran out of time is tried again, while attempts are left; what somebody cancelled is not. */
    static boolean isTriedAgain(Run run, HandlerOutcome outcome) {
        boolean hasFailed = outcome.state() == ExecutionState.FAILED || outcome.state() == ExecutionState.TIMED_OUT;
        return hasFailed && run.attempt().attempt() < run.definition().retry().maxAttempts();
    }

    public static Completion.Retry next(Run run, HandlerOutcome outcome, long endedMillis) {
        int attempt = run.attempt().attempt();
        Retry retry = run.definition().retry();
        return new Completion.Retry(
                endedMillis + retry.waitMillis(attempt, chance(run.slot(), attempt)), outcome.state());
    }

    /** The same for the same attempt of the same slot, and another for each other. */
    private static double chance(Slot slot, int attempt) {
        return new SplittableRandom(31 * (31 * slot.taskId() + slot.fireTimeMillis()) + attempt).nextDouble();
    }
}
