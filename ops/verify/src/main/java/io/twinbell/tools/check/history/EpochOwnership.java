package io.twinbell.tools.check.history;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;

/** The owner of each epoch and the time of its ownership, during which it could claim. */
public final class EpochOwnership {
    /**
     * Tolerance between an opening and a claim. They exclude each other, but both instants are rounded, and the instant
     * of an opening may come from a clock that is behind the database's by the time of one answer.
     */
    public static final long ROUNDING_MILLIS = 20;

    private final TreeMap<Long, EpochOpening> byEpoch = new TreeMap<>();
    private final long knownUntilMillis;

    /** For a history that is complete. */
    public EpochOwnership(List<EpochOpening> openings) {
        this(openings, Long.MAX_VALUE);
    }

    /**
     * For a history that is still growing.
     *
     * @param openings every epoch since the one that was open when the history begins
     * @param knownUntilMillis later openings may be missing
     */
    public EpochOwnership(List<EpochOpening> openings, long knownUntilMillis) {
        this.knownUntilMillis = knownUntilMillis;
        openings.forEach(opening -> byEpoch.put(opening.epoch(), opening));
    }

    /**
     * Whether nothing known rules out a claim under the epoch at this instant. Considers the epoch's opening only, not
     * its end.
     */
    public boolean mayClaim(long epoch, long atMillis) {
        if (isBeforeAll(epoch) || atMillis > knownUntilMillis) {
            return true;
        }
        EpochOpening opening = byEpoch.get(epoch);
        return opening != null && atMillis >= opening.atMillis() - ROUNDING_MILLIS;
    }

    /** Whether the epoch falls into the time of the history, but no opening of it is known. */
    public boolean isUnknown(long epoch) {
        return !isBeforeAll(epoch) && !byEpoch.containsKey(epoch);
    }

    /** Whether the epoch is older than the history. Only its end before the history is known then. */
    private boolean isBeforeAll(long epoch) {
        return byEpoch.isEmpty() || epoch < byEpoch.firstKey();
    }

    /** When the next epoch was opened; empty if the epoch is the current one, or unknown. */
    public OptionalLong endOf(long epoch) {
        var next = byEpoch.higherEntry(epoch);
        return next == null
                ? OptionalLong.empty()
                : OptionalLong.of(next.getValue().atMillis());
    }

    /** Whether the epoch was certainly open at this instant. */
    public boolean isOpenAt(long epoch, long atMillis) {
        OptionalLong end = endOf(epoch);
        boolean isOver = end.isPresent() && atMillis >= end.getAsLong() - ROUNDING_MILLIS;
        return !isBeforeAll(epoch) && atMillis <= knownUntilMillis && !isOver;
    }

    /** When the epoch was opened; empty if unknown. */
    public OptionalLong openedMillis(long epoch) {
        EpochOpening opening = byEpoch.get(epoch);
        return opening == null ? OptionalLong.empty() : OptionalLong.of(opening.atMillis());
    }

    /** The owner of the epoch; empty if unknown. */
    public Optional<String> ownerOf(long epoch) {
        return Optional.ofNullable(byEpoch.get(epoch)).map(EpochOpening::node);
    }

    /** How often a new epoch followed another. */
    public long changes() {
        return Math.max(0, byEpoch.size() - 1);
    }
}
