package io.twinbell.node.schedule;

/**
 * A calendar pattern in a zone: where wall-clock matches become instants, and the clock changes are answered. Instants are
 * epoch seconds.
 *
 * <p>Within a segment of one offset, local time and real time run alike, so a walk looks for the next local match and asks
 * only whether the segment lasts that long. Where it ends in a gap, swallowed matches shift to the gap's end; where it ends
 * in an overlap, the walk goes back on the wall clock, or past the repeated span if fixed times fire once.
 */
final class ZonedPattern {
    static final long NONE_AFTER = CalendarPattern.NONE_AFTER;
    static final long NONE_BEFORE = CalendarPattern.NONE_BEFORE;

    /** No offset is larger, so a local time is never further than this from the same digits in UTC. */
    private static final long MAX_OFFSET = 18 * 3600;

    private final CalendarPattern calendar;
    private final ZoneTimeline zone;
    private final boolean shifts;
    private final boolean repeats;

    /**
     * @param shifts whether times in a gap fire after it
     * @param repeats whether times in an overlap fire in both its passes
     */
    ZonedPattern(CalendarPattern calendar, ZoneTimeline zone, boolean shifts, boolean repeats) {
        this.calendar = calendar;
        this.zone = zone;
        this.shifts = shifts;
        this.repeats = repeats;
    }

    /** The first fire at or after an instant, or {@link #NONE_AFTER}. Each pass enters a later segment. */
    long atOrAfter(long second) {
        int segment = zone.segmentAt(second);
        if (isRightAfterSwallowed(second, segment)) {
            return second;
        }
        long local = second + zone.offset(segment);
        while (true) {
            local = Math.max(local, firstLocal(segment));
            long match = calendar.atOrAfter(local);
            if (zone.isLast(segment)) {
                return match == NONE_AFTER ? NONE_AFTER : match - zone.offset(segment);
            }
            int following = segment + 1;
            if (match < zone.localEndBefore(following)) {
                return match - zone.offset(segment);
            }
            long resumed = zone.localStart(following);
            if (shifts && match < resumed) {
                return zone.start(following);
            }
            boolean goesBack = resumed < local;
            if (match == NONE_AFTER && !goesBack) {
                return NONE_AFTER;
            }
            // Nothing matches up to the match just found, so whole years of segments can be left out.
            long from = goesBack ? zone.start(following) : Math.max(zone.start(following), match - MAX_OFFSET);
            segment = zone.segmentAt(from);
            local = from + zone.offset(segment);
        }
    }

    /** The last fire at or before an instant, or {@link #NONE_BEFORE}. Each pass enters an earlier segment. */
    long atOrBefore(long second) {
        int segment = zone.segmentAt(second);
        long local = second + zone.offset(segment);
        while (true) {
            long match = calendar.atOrBefore(local);
            if (match != NONE_BEFORE && match >= firstLocal(segment)) {
                return match - zone.offset(segment);
            }
            if (zone.isFirst(segment)) {
                return NONE_BEFORE;
            }
            long interrupted = zone.localEndBefore(segment);
            if (shifts && interrupted <= match && match < zone.localStart(segment)) {
                return zone.start(segment);
            }
            boolean goesBack = local < interrupted;
            if (match == NONE_BEFORE && !goesBack) {
                return NONE_BEFORE;
            }
            long upTo = goesBack ? zone.start(segment) - 1 : Math.min(zone.start(segment) - 1, match + MAX_OFFSET);
            segment = zone.segmentAt(upTo);
            local = upTo + zone.offset(segment);
        }
    }

    /** The mark of an instant at which this fires. */
    DstMark mark(long second) {
        int segment = zone.segmentAt(second);
        long local = second + zone.offset(segment);
        if (calendar.atOrAfter(local) != local) {
            return DstMark.SHIFTED;
        }
        boolean secondPass = !zone.isFirst(segment) && local < zone.localEndBefore(segment);
        return secondPass ? DstMark.REPEATED : DstMark.NONE;
    }

    private boolean isRightAfterSwallowed(long second, int segment) {
        return shifts
                && !zone.isFirst(segment)
                && zone.start(segment) == second
                && calendar.atOrAfter(zone.localEndBefore(segment)) < zone.localStart(segment);
    }

    /** Where on the wall clock a segment starts to fire: after an overlap, not before what has already fired. */
    private long firstLocal(int segment) {
        if (zone.isFirst(segment)) {
            return Long.MIN_VALUE;
        }
        long resumed = zone.localStart(segment);
        return repeats ? resumed : Math.max(resumed, zone.localEndBefore(segment));
    }
}
