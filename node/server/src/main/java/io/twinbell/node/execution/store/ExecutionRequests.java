package io.twinbell.node.execution.store;

import io.twinbell.persistence.ledger.Slot;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * Requests to cancel or rerun executions. Either node accepts them; the master carries them out. All methods throw
 * {@link io.twinbell.persistence.database.DatabaseUnavailableException} if the database does not answer.
 */
public interface ExecutionRequests {
    /**
     * Requests the cancellation of an unfinished execution and wakes the master. Empty if the execution does not exist.
     */
    Optional<Answer> cancel(Slot slot, String reason);

    /**
     * Makes an ended execution PENDING again, as the next attempt of its slot. Empty if the execution does not exist.
     */
    Optional<Answer> rerun(Slot slot, String reason);

    /**
     * Reruns the executions of the filter that can be rerun, oldest first, in transactions of 500. If the database
     * fails between two transactions, the same call completes the rest.
     *
     * @return the number of reruns; {@code limit} if there may be more
     */
    int rerunAll(ExecutionFilter filter, String reason, int limit);

    /**
     * Enters those slots as PENDING rows with the origin BACKFILLED, which run one after the other. Leaves out slots
     * that the task still owes, and slots that the ledger has already, also within a row for many slots.
     *
     * @return the fire times of the entered slots, or of those that would be entered; empty if the task does not exist
     */
    Optional<List<Long>> backfill(long taskId, List<Long> fireMillis, Backfill backfill);

    /**
     * How slots are backfilled.
     *
     * @param pace the least time between the starts of two slots
     * @param dryRun whether to enter nothing
     */
    record Backfill(String reason, Duration pace, boolean dryRun) {}

    /** Requests the cancellation of the backfilled slots that have not started; returns their number. */
    int cancelBackfill(long taskId, String reason);

    /**
     * The answer to a request.
     *
     * @param refusal why nothing was changed; null if it was
     * @param execution the execution after the request
     */
    record Answer(String refusal, Execution execution) {}
}
