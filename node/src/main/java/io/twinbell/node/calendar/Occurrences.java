package io.twinbell.node.calendar;

import java.util.HashSet;
import java.util.Set;

/** Some occurrences of an event, known by when they begin. */
final class Occurrences {
    private static final long DAY = 24L * 3600;

    private final Set<Place> places = new HashSet<>();

    /**
     * One of them, or all of a day.
     *
     * @param begin in seconds since 1970 UTC, or the day since 1970 on the event's wall clock
     */
    record Place(long begin, boolean isDay) {}

    void add(Place place) {
        places.add(place);
    }

    /** @param wall when it begins, in seconds on the event's wall clock */
    boolean has(long wall, long instant) {
        return !places.isEmpty()
                && (places.contains(new Place(instant, false))
                        || places.contains(new Place(Math.floorDiv(wall, DAY), true)));
    }

    /** Whether the occurrence begins then or later. */
    static boolean isFrom(Place place, long wall, long instant) {
        return place.isDay() ? Math.floorDiv(wall, DAY) >= place.begin() : instant >= place.begin();
    }
}
