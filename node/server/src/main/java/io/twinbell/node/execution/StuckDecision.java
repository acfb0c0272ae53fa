package io.twinbell.node.execution;

import io.twinbell.node.execution.store.UnfinishedExecutions;
import io.twinbell.persistence.ledger.ExecutionState;
import java.time.Duration;
import java.util.Optional;

/** Decides whether an unfinished execution counts as stuck, and why. A pure function. */
public final class StuckDecision {
    /** A task is judged by its own history once it has this many runs. */
    static final int ENOUGH_RUNS = 20;

    static final int TIMES_USUAL = 10;
    static final Duration AT_LEAST = Duration.ofMinutes(1);
    /** A successor settles what its predecessor left within seconds. */
    private static final Duration UNTIL_SETTLED = Duration.ofSeconds(10);

    private StuckDecision() {}

    /** The reason as text, or empty if the execution may be running normally. */
    public static Optional<String> decide(
            UnfinishedExecutions.Claimed claimed, UnfinishedExecutions.UnfinishedPage unfinishedPage) {
        long epoch = claimed.attempt().epoch();
        boolean isOver = epoch < unfinishedPage.presentEpoch()
                && !unfinishedPage.drainingEpochs().contains(epoch);
        if (isOver && unfinishedPage.nowMillis() - unfinishedPage.settlingSinceMillis() > UNTIL_SETTLED.toMillis()) {
            return Optional.of("claimed under epoch " + epoch + ", which has ended, but not settled");
        }
        long dueFor = unfinishedPage.nowMillis() - claimed.attempt().slot().fireTimeMillis();
        if (claimed.state() == ExecutionState.CLAIMED && claimed.startedMillis().isEmpty()) {
            return dueFor > AT_LEAST.toMillis()
                    ? Optional.of("claimed but not started " + Duration.ofMillis(dueFor) + " after its fire time")
                    : Optional.empty();
        }
        return tooLong(claimed, unfinishedPage.nowMillis());
    }

    private static Optional<String> tooLong(UnfinishedExecutions.Claimed claimed, long nowMillis) {
        long took = nowMillis - claimed.startedMillis().orElse(nowMillis);
        UnfinishedExecutions.UsualRunTime usual = claimed.usual();
        boolean isLong = took > AT_LEAST.toMillis() && took > TIMES_USUAL * usual.p99Millis();
        return isLong && usual.runs() >= ENOUGH_RUNS
                ? Optional.of("has run for " + Duration.ofMillis(took) + "; 99 % of its last " + usual.runs()
                        + " runs took at most " + Duration.ofMillis(usual.p99Millis()))
                : Optional.empty();
    }
}
