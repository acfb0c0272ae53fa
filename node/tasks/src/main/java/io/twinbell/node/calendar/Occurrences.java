package io.twinbell.node.calendar;

import java.util.HashSet;
import java.util.Set;

/** A set of occurrences of an event, identified by their start. */
final class Occurrences {
    private static final long DAY = 24L * 3600;

    private final Set<OccurrenceStart> places = new HashSet<>();

    /**
     * The start of one occurrence, or a day that stands for all occurrences on it.
     *
     * @param begin in seconds since 1970 UTC, or the day since 1970 on the event's wall clock
     */
    record OccurrenceStart(long begin, boolean isDay) {}

    void add(OccurrenceStart occurrenceStart) {
        places.add(occurrenceStart);
    }

    /** @param wall the start of the occurrence, in seconds on the event's wall clock */
    boolean has(long wall, long instant) {
        return !places.isEmpty()
                && (places.contains(new OccurrenceStart(instant, false))
                        || places.contains(new OccurrenceStart(Math.floorDiv(wall, DAY), true)));
    }

    /** Whether the occurrence begins at this place or later. */
    static boolean isFrom(OccurrenceStart occurrenceStart, long wall, long instant) {
        return occurrenceStart.isDay()
                ? Math.floorDiv(wall, DAY) >= occurrenceStart.begin()
                : instant >= occurrenceStart.begin();
    }
}
