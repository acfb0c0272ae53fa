package io.twinbell.persistence.ledger;

import java.util.Optional;

/**
 * What anybody may ask to be done with executions, on either node: the master does it. All methods throw
 * {@link io.twinbell.persistence.database.DatabaseUnavailableException} if the database does not answer.
 */
public interface ExecutionRequests {
    /** Wishes an unfinished execution cancelled, and wakes the master. Empty if there is no such execution. */
    Optional<Answer> cancel(Slot slot, String reason);

    /** Makes an ended execution PENDING again, as the next attempt of its slot. Empty if there is no such execution. */
    Optional<Answer> rerun(Slot slot, String reason);

    /**
     * Does that to those of the filter that can be run again, oldest first, in transactions of 500: if the database
     * fails in between, the same call again does the rest.
     *
     * @return how many; {@code limit} if there may be more
     */
    int rerunAll(ExecutionFilter filter, String reason, int limit);

    /**
     * What came of a request.
     *
     * @param refusal why nothing was done; null if it was
     * @param execution as it stands now
     */
    record Answer(String refusal, Execution execution) {}
}
