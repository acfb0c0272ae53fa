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
     * The slots of a range.
     *
     * @param areKnown false if they cannot be determined now, for example because the code of a schedule type is missing;
     *     the range is left for a later call
     * @param slots empty if the range has none
     */
    record RangeSlots(boolean areKnown, Optional<PassedSlots> slots) {
        public static final RangeSlots UNKNOWN = new RangeSlots(false, Optional.empty());

        public static RangeSlots of(Optional<PassedSlots> slots) {
            return new RangeSlots(true, slots);
        }
    }

    /**
     * Determines the slots of at most {@code limit} ranges, and leaves these slots for the master to enter in the
     * ledger.
     *
     * @return how many ranges were settled
     * @throws io.twinbell.persistence.database.DatabaseUnavailableException if the database does not answer
     */
    int settle(int limit, Function<SkippedRange, RangeSlots> slots);
}
