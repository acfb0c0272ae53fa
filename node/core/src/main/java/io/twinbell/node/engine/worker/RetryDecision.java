package io.twinbell.node.engine.worker;

import io.twinbell.node.engine.handler.ErrorCodes;
import io.twinbell.node.engine.handler.HandlerOutcome;
import io.twinbell.node.engine.run.Run;
import io.twinbell.node.engine.task.Retry;
import io.twinbell.persistence.ledger.Attempt;
import io.twinbell.persistence.ledger.Completion;
import io.twinbell.persistence.ledger.ExecutionState;
import io.twinbell.persistence.ledger.Slot;
import java.time.Duration;
import java.time.Instant;
import java.util.SplittableRandom;

/** Decides whether a failed attempt is followed by another, and when. A pure function. */
public final class RetryDecision {
    static final int MAX_SNOOZES = 1000;
    static final Duration LONGEST_SNOOZE = Duration.ofDays(7);

    private RetryDecision() {}

    /** Returns the outcome itself, or a failure if the execution has been snoozed too often or for too long. */
    static HandlerOutcome limited(Attempt attempt, HandlerOutcome outcome, long nowMillis) {
        Attempt.Snoozes before = attempt.snoozes();
        long sinceMillis = Math.min(before.sinceMillis(), nowMillis);
        boolean isTooOften = before.count() >= MAX_SNOOZES;
        boolean isTooLong = nowMillis + outcome.delay().toMillis() - sinceMillis > LONGEST_SNOOZE.toMillis();
        if (!outcome.isSnoozed() || !isTooOften && !isTooLong) {
            return outcome;
        }
        String limit = isTooOften ? "was snoozed " + MAX_SNOOZES + " times" : "would be snoozed for more than 7 days";
        String reason = outcome.reason() == null ? "" : ": " + outcome.reason();
        return HandlerOutcome.failed(ErrorCodes.SNOOZE_LIMIT, "the execution " + limit + reason, null);
    }

    /**
     * Whether another attempt follows. Failed and timed-out attempts are retried while attempts are left and the policy
     * allows their code. Snoozed attempts always are.
     */
    static boolean isRetried(Run run, HandlerOutcome outcome) {
        return outcome.isSnoozed() || hasFailedEarly(run, outcome) && refusal(run, outcome) == null;
    }

    /** Returns why a failed attempt is not followed by another although attempts are left; else null. */
    static String unusedAttempts(Run run, HandlerOutcome outcome) {
        String refusal = hasFailedEarly(run, outcome) ? refusal(run, outcome) : null;
        return refusal == null ? null : "not tried again, because " + refusal;
    }

    private static boolean hasFailedEarly(Run run, HandlerOutcome outcome) {
        boolean hasFailed = outcome.state() == ExecutionState.FAILED || outcome.state() == ExecutionState.TIMED_OUT;
        return hasFailed && run.attempt().counted() < run.definition().retry().maxAttempts();
    }

    private static String refusal(Run run, HandlerOutcome outcome) {
        if (ErrorCodes.UNREADABLE_PAYLOAD.equals(outcome.errorCode())) {
            return "the payload cannot be read";
        }
        return run.definition().retry().codes().refusal(outcome.errorCode());
    }

    /** Returns when another attempt is due after one that ended then; null if none follows. */
    static Instant nextAttempt(Run run, HandlerOutcome outcome, long endedMillis) {
        return isRetried(run, outcome)
                ? Instant.ofEpochMilli(next(run, outcome, endedMillis).dueMillis())
                : null;
    }

    public static Completion.NextAttempt next(Run run, HandlerOutcome outcome, long endedMillis) {
        if (outcome.isSnoozed()) {
            return new Completion.NextAttempt(endedMillis + outcome.delay().toMillis(), outcome.state());
        }
        int attempt = run.attempt().counted();
        Retry retry = run.definition().retry();
        return new Completion.NextAttempt(
                endedMillis + retry.waitMillis(attempt, chance(run.slot(), attempt), outcome.delay()), outcome.state());
    }

    /** Random, but always the same for one attempt of one slot. */
    private static double chance(Slot slot, int attempt) {
        return new SplittableRandom(31 * (31 * slot.taskId() + slot.fireTimeMillis()) + attempt).nextDouble();
    }
}
