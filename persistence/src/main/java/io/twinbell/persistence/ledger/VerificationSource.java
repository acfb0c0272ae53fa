package io.twinbell.persistence.ledger;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** What a history is verified by: since when it binds, and who ruled when. */
public interface VerificationSource {
    /** Since when the task fires as it does now; nothing if there is no such task. */
    Optional<Planned> planned(long taskId);

    /** Up to which fire time rows may be missing because they were let go, by what was let go. */
    Map<String, Long> forgottenMillis();

    /** The epoch that was open at the given instant, if it is known, and all later ones, oldest first. */
    List<Opening> openings(long sinceMillis);

    /**
     * Rows of a span that belong to no task of their app and name, neither to one that is nor to one that was removed.
     *
     * @return for at most 100 task ids what they have in the ledger
     */
    List<Stray> strays(long fromMillis, long untilMillis);

    /** @param firstMillis the earliest fire time of these rows */
    record Stray(long taskId, String app, String name, long rows, long firstMillis) {}

    /**
     * The present plan of a task. All times are milliseconds since 1970 UTC.
     *
     * @param version of the task that it is the plan of
     * @param atMillis when it was made
     * @param fromMillis the first fire time that it promised; empty if it is not known
     */
    record Planned(long version, long atMillis, OptionalLong fromMillis) {}

    /** From when on claims were made under an epoch. */
    record Opening(long epoch, String node, long atMillis) {}
}
