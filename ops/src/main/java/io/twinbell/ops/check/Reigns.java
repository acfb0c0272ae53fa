package io.twinbell.ops.check;

import java.util.List;
import java.util.OptionalLong;
import java.util.TreeMap;

/** Under which epoch claims could be made at which instant. */
public final class Reigns {
    /** An opening and a claim exclude each other, but both instants were rounded. */
    private static final long SLACK_MILLIS = 20;

    private final TreeMap<Long, Opening> byEpoch = new TreeMap<>();

    /** @param openings every epoch since the one that was open when the history begins */
    public Reigns(List<Opening> openings) {
        openings.forEach(opening -> byEpoch.put(opening.epoch(), opening));
    }

    /** Whether nothing is known that speaks against a claim under the epoch at the instant. */
    boolean allow(long epoch, long atMillis) {
        if (byEpoch.isEmpty() || epoch < byEpoch.firstKey()) {
            // From before the history: only that it was over by then is known.
            return byEpoch.isEmpty()
                    || atMillis <= byEpoch.firstEntry().getValue().atMillis() + SLACK_MILLIS;
        }
        Opening opening = byEpoch.get(epoch);
        var next = byEpoch.higherEntry(epoch);
        return opening != null
                && atMillis >= opening.atMillis() - SLACK_MILLIS
                && (next == null || atMillis <= next.getValue().atMillis() + SLACK_MILLIS);
    }

    /** When the epoch was followed by another; empty if it is the present one. */
    OptionalLong endOf(long epoch) {
        var next = byEpoch.higherEntry(epoch);
        return next == null
                ? OptionalLong.empty()
                : OptionalLong.of(next.getValue().atMillis());
    }
}
