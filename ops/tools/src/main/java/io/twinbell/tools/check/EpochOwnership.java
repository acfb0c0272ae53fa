package io.twinbell.tools.check;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;

/** Who could claim under which epoch at which instant. */
public final class EpochOwnership {
    /**
     * An opening and a claim exclude each other, but both instants were rounded, and an opening may be known by a clock
     * that runs behind the database's by as much as an answer takes.
     */
    static final long ROUNDING_MILLIS = 20;

    private final TreeMap<Long, EpochOpening> byEpoch = new TreeMap<>();
    private final long knownUntilMillis;

    /** Of a history that has come to its end. */
    EpochOwnership(List<EpochOpening> openings) {
        this(openings, Long.MAX_VALUE);
    }

    /**
     * Of one that goes on.
     *
     * @param openings every epoch since the one that was open when the history begins
     * @param knownUntilMillis what was opened later may not be among them
     */
    public EpochOwnership(List<EpochOpening> openings, long knownUntilMillis) {
        this.knownUntilMillis = knownUntilMillis;
        openings.forEach(opening -> byEpoch.put(opening.epoch(), opening));
    }

    /** Whether nothing is known that speaks against a claim under the epoch, as far as its beginning goes. */
    boolean mayClaim(long epoch, long atMillis) {
        if (isBeforeAll(epoch) || atMillis > knownUntilMillis) {
            return true;
        }
        EpochOpening opening = byEpoch.get(epoch);
        return opening != null && atMillis >= opening.atMillis() - ROUNDING_MILLIS;
    }

    /** Whether an epoch that nobody opened lies in the time of the history. */
    boolean isUnknown(long epoch) {
        return !isBeforeAll(epoch) && !byEpoch.containsKey(epoch);
    }

    /** From before the history: only that it was over by then is known. */
    private boolean isBeforeAll(long epoch) {
        return byEpoch.isEmpty() || epoch < byEpoch.firstKey();
    }

    /** When the epoch was followed by another; empty if it is the present one, or nothing is known. */
    OptionalLong endOf(long epoch) {
        var next = byEpoch.higherEntry(epoch);
        return next == null
                ? OptionalLong.empty()
                : OptionalLong.of(next.getValue().atMillis());
    }

    /** Whether an instant lies in the reign of the epoch, for certain. */
    boolean isReigning(long epoch, long atMillis) {
        OptionalLong end = endOf(epoch);
        boolean isOver = end.isPresent() && atMillis >= end.getAsLong() - ROUNDING_MILLIS;
        return !isBeforeAll(epoch) && atMillis <= knownUntilMillis && !isOver;
    }

    /** Empty if it is not known. */
    OptionalLong openedMillis(long epoch) {
        EpochOpening opening = byEpoch.get(epoch);
        return opening == null ? OptionalLong.empty() : OptionalLong.of(opening.atMillis());
    }

    /** Empty if it is not known. */
    Optional<String> ownerOf(long epoch) {
        return Optional.ofNullable(byEpoch.get(epoch)).map(EpochOpening::node);
    }

    /** How often the role of master went to somebody. */
    long changes() {
        return Math.max(0, byEpoch.size() - 1);
    }
}
