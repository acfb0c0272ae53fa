package io.twinbell.node.execution;

import io.twinbell.node.execution.store.UnfinishedExecutions;
import io.twinbell.node.loop.Loop;
import io.twinbell.persistence.clock.Ticker;
import io.twinbell.persistence.ledger.ExecutionState;
import io.twinbell.persistence.ledger.Slot;
import java.time.Duration;
import java.util.List;

/** Finds stuck executions every 30 s, and keeps the result until the next search. */
public final class StuckDetector {
    static final int MAX_EXECUTIONS = 500;
    private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(30);

    private final UnfinishedExecutions unfinished;
    private final PeriodicQuery periodicQuery;
    private volatile StuckReport stuckReport = new StuckReport(0, List.of());
    private volatile int tasksInError;

    /** @param atMillis when the search was made, by the database's clock; 0 if there was none yet */
    public record StuckReport(long atMillis, List<Stuck> stuck) {}

    /** A stuck execution with its claim at the time of the search, and why it counts as stuck. */
    public record Stuck(
            Slot slot,
            String app,
            String name,
            ExecutionState state,
            int attempt,
            long epoch,
            String node,
            String reason) {}

    public StuckDetector(UnfinishedExecutions unfinished, Ticker ticker, Loop loop) {
        this.unfinished = unfinished;
        periodicQuery = new PeriodicQuery(BETWEEN_LOOKS, ticker, loop);
    }

    /** Makes the search if it is due; returns how long until the next, in nanoseconds. */
    public long step() {
        return periodicQuery.step(this::detect);
    }

    private void detect() {
        UnfinishedExecutions.UnfinishedPage unfinishedPage = unfinished.readPage(MAX_EXECUTIONS);
        tasksInError = unfinishedPage.tasksInError();
        stuckReport = new StuckReport(
                unfinishedPage.nowMillis(),
                unfinishedPage.claimed().stream()
                        .flatMap(claimed ->
                                StuckDecision.decide(claimed, unfinishedPage)
                                        .map(reason -> stuck(claimed, reason))
                                        .stream())
                        .toList());
    }

    private static Stuck stuck(UnfinishedExecutions.Claimed claimed, String reason) {
        return new Stuck(
                claimed.attempt().slot(),
                claimed.attempt().app(),
                claimed.attempt().name(),
                claimed.state(),
                claimed.attempt().attempt(),
                claimed.attempt().epoch(),
                claimed.attempt().node(),
                reason);
    }

    /** How many tasks were in state ERROR at the last search. */
    public int tasksInError() {
        return tasksInError;
    }

    /** The result of the last search. */
    public StuckReport stuckReport() {
        return stuckReport;
    }
}
