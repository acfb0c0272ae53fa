package io.twinbell.node.schedule.zone;

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
 * The UTC offsets of a zone from 1970 to 2199 as an array of segments, so that a search needs neither allocation nor
 * zone rules. Instants and local times are seconds since 1970.
 */
public final class ZoneTimeline {
    private static final Instant FROM = Instant.parse("1969-12-30T00:00:00Z");
    private static final Instant TO = Instant.parse("2200-01-03T00:00:00Z");

    /** Bounded by the about 600 zones that the runtime knows; zones without transitions are not cached. */
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

    public static ZoneTimeline of(ZoneId zone) {
        return zone.getRules().isFixedOffset()
                ? new ZoneTimeline(zone.getRules())
                : KNOWN.computeIfAbsent(zone, z -> new ZoneTimeline(z.getRules()));
    }

    /** Returns the segment of the instant. */
    public int segmentAt(long second) {
        if (starts.length == 1) {
            return 0;
        }
        int found = Arrays.binarySearch(starts, second);
        return found >= 0 ? found : -found - 2;
    }

    public boolean isFirst(int segment) {
        return segment == 0;
    }

    public boolean isLast(int segment) {
        return segment == starts.length - 1;
    }

    public int offset(int segment) {
        return offsets[segment];
    }

    /** Returns the first instant of a segment other than the first. */
    public long start(int segment) {
        return starts[segment];
    }

    /** Returns the wall-clock time at the start of a segment other than the first. */
    long localStart(int segment) {
        return starts[segment] + offsets[segment];
    }

    /** Returns the wall-clock time at the start of a segment by the previous segment's offset. */
    long localEndBefore(int segment) {
        return starts[segment] + offsets[segment - 1];
    }
}
