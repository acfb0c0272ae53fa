package io.twinbell.node.calendar.ical;

import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.zone.ZoneRules;
import java.util.List;

/** Converts between the wall clock of a zone and instants, both in seconds since 1970. */
public final class WallClock {
    private WallClock() {}

    /**
     * Converts a wall-clock time into an instant. A time that a clock change skips uses the offset before the change,
     * and a time that a clock change repeats is the first of the two (RFC 5545, 3.3.5).
     */
    public static long toInstant(long wall, ZoneRules zone) {
        LocalDateTime local = LocalDateTime.ofEpochSecond(wall, 0, ZoneOffset.UTC);
        List<ZoneOffset> offsets = zone.getValidOffsets(local);
        ZoneOffset offset = offsets.isEmpty() ? zone.getTransition(local).getOffsetBefore() : offsets.get(0);
        return wall - offset.getTotalSeconds();
    }

    /** Returns the wall-clock time at an instant. */
    public static long fromInstant(long second, ZoneRules zone) {
        return second + zone.getOffset(Instant.ofEpochSecond(second)).getTotalSeconds();
    }
}
