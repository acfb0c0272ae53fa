package io.twinbell.persistence.ledger.query;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** Reads the data that a history is verified against: when each plan took effect, and which node was master when. */
public interface VerificationSource {
    /** The current plan of a task; empty if the task does not exist. */
    Optional<Planned> planned(long taskId);

    /** The fire time up to which rows may be missing because they were deleted, by kind of deletion. */
    Map<String, Long> forgottenMillis();

    /** The epoch that was open at the given instant, if known, and all later ones, oldest first. */
    List<Opening> openings(long sinceMillis);

    /**
     * Ledger rows in a range of fire times whose task id, app and name match neither an existing nor a removed task.
     *
     * @return the rows of at most 100 task ids
     */
    List<Stray> strays(long fromMillis, long untilMillis);

    /**
     * @param rows the number of such rows
     * @param firstMillis the earliest fire time of these rows
     */
    record Stray(long taskId, String app, String name, long rows, long firstMillis) {}

    /**
     * The current plan of a task. All times are milliseconds since 1970 UTC.
     *
     * @param version the version of the task that the plan belongs to
     * @param atMillis when the plan was made
     * @param fromMillis the first planned fire time; empty if it is unknown
     */
    record Planned(long version, long atMillis, OptionalLong fromMillis) {}

    /** The opening of an epoch: from this time on, claims were made under it. */
    record Opening(long epoch, String node, long atMillis) {}
}
