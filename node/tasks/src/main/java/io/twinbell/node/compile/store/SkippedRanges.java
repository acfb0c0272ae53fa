package io.twinbell.node.compile.store;

import io.twinbell.persistence.task.PassedSlots;
import io.twinbell.persistence.task.TaskStore;
import java.util.Optional;
import java.util.function.Function;

/**
 * Settles skipped ranges whose time has passed: determines their slots. {@link TaskStore} stores the ranges together
 * with the edits that begin and end them.
 */
public interface SkippedRanges {
    /**
     * Determines the slots of at most {@code limit} ranges, and leaves these slots for the master to enter in the
     * ledger.
     *
     * @param slots empty for a range that has none
     * @return how many ranges were settled
     * @throws io.twinbell.persistence.database.DatabaseUnavailableException if the database does not answer
     */
    int settle(int limit, Function<SkippedRange, Optional<PassedSlots>> slots);
}
