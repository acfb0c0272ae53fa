package io.twinbell.node.schedule;

import java.time.Instant;
import java.time.ZoneId;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A zone as a row of segments of one offset each, from 1970 to 2199, so that a walk needs neither allocation nor rules.
 * Instants and local times are seconds since 1970.
 */
final class ZoneTimeline {
    private static final Instant FROM = Instant.parse("1969-12-30T00:00:00Z");
    private static final Instant TO = Instant.parse("2200-01-03T00:00:00Z");

    /** Bounded by the zones the runtime knows, some 600; those without transitions are not worth keeping. */
    private static final Map<ZoneId, ZoneTimeline> KNOWN = new ConcurrentHashMap<>();

    private final long[] starts;
    private final int[] offsets;

    private ZoneTimeline(ZoneRules rules) {
        List<ZoneOffsetTransition> transitions = new ArrayList<>();
        ZoneOffsetTransition transition = rules.nextTransition(FROM);
        while (transition != null && transition.getInstant().isBefore(TO)) {
            transitions.add(transition);
            transition = rules.nextTransition(transition.getInstant());
        }
        starts = new long[transitions.size() + 1];
        offsets = new int[transitions.size() + 1];
        starts[0] = Long.MIN_VALUE;
        offsets[0] = rules.getOffset(FROM).getTotalSeconds();
        for (int i = 1; i < starts.length; i++) {
            starts[i] = transitions.get(i - 1).toEpochSecond();
            offsets[i] = transitions.get(i - 1).getOffsetAfter().getTotalSeconds();
        }
    }

    static ZoneTimeline of(ZoneId zone) {
        return zone.getRules().isFixedOffset()
                ? new ZoneTimeline(zone.getRules())
                : KNOWN.computeIfAbsent(zone, z -> new ZoneTimeline(z.getRules()));
    }

    /** The segment that the instant lies in. */
    int segmentAt(long second) {
        if (starts.length == 1) {
            return 0;
        }
        int found = Arrays.binarySearch(starts, second);
        return found >= 0 ? found : -found - 2;
    }

    boolean isFirst(int segment) {
        return segment == 0;
    }

    boolean isLast(int segment) {
        return segment == starts.length - 1;
    }

    int offset(int segment) {
        return offsets[segment];
    }

    /** The instant at which a segment other than the first begins. */
    long start(int segment) {
        return starts[segment];
    }

    /** What the wall clock shows when a segment other than the first begins. */
    long localStart(int segment) {
        return starts[segment] + offsets[segment];
    }

    /** What the wall clock would have shown at that instant if it had not been changed. */
    long localEndBefore(int segment) {
        return starts[segment] + offsets[segment - 1];
    }
}
