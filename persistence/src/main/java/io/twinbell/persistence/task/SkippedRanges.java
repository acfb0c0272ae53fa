package io.twinbell.persistence.task;

import java.util.Optional;
import java.util.function.Function;

/** The leaps that are over. {@link TaskStore} leaves them behind with the edits that make and end them. */
public interface SkippedRanges {
    /**
     * Has at most {@code limit} of them decided about, and leaves what was leapt over for the master to enter.
     *
     * @return how many were decided about
     * @throws io.twinbell.persistence.database.DatabaseUnavailableException if the database does not answer
     */
    int settle(int limit, Function<SkippedRange, Optional<PassedSlots>> slots);
}
