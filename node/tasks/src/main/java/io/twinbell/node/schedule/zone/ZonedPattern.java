package io.twinbell.node.schedule.zone;

import io.twinbell.node.engine.task.DstMark;
import io.twinbell.node.schedule.local.LocalPattern;
import java.util.ArrayList;
import java.util.List;

/**
 * A pattern of local times in a zone: converts wall-clock matches into instants, and handles clock changes. Instants are
 * epoch seconds.
 *
 * <p>Within a segment of one offset, local time and real time advance together. So a search takes the next local match
 * and only checks whether the segment lasts that long. If the segment ends in a gap, matches within the gap shift to
 * its end. If it ends in an overlap, the search goes back on the wall clock, or skips the repeated span if fixed times
 * fire once.
 */
public final class ZonedPattern {
    static final long NONE_AFTER = LocalPattern.NONE_AFTER;
    static final long NONE_BEFORE = LocalPattern.NONE_BEFORE;

    /** The largest possible offset of a zone from UTC. */
    private static final long MAX_OFFSET = 18 * 3600;

    private final LocalPattern pattern;
    private final ZoneTimeline zone;
    private final boolean shifts;
    private final boolean repeats;

    /**
     * @param shifts whether times in a gap fire after it
     * @param repeats whether times in an overlap fire at both occurrences
     */
    public ZonedPattern(LocalPattern pattern, ZoneTimeline zone, boolean shifts, boolean repeats) {
        this.pattern = pattern;
        this.zone = zone;
        this.shifts = shifts;
        this.repeats = repeats;
    }

    /**
     * Returns the first fire time at or after an instant, or {@link #NONE_AFTER}. Each iteration enters a later
     * segment.
     */
    public long atOrAfter(long second) {
        int segment = zone.segmentAt(second);
        if (isRightAfterGap(second, segment)) {
            return second;
        }
        long local = second + zone.offset(segment);
        while (true) {
            local = Math.max(local, firstLocal(segment));
            long match = pattern.atOrAfter(local);
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
            // Nothing matches before the match that was found, so whole years of segments can be skipped.
            long from = goesBack ? zone.start(following) : Math.max(zone.start(following), match - MAX_OFFSET);
            segment = zone.segmentAt(from);
            local = from + zone.offset(segment);
        }
    }

    /**
     * Returns the last fire time at or before an instant, or {@link #NONE_BEFORE}. Each iteration enters an earlier
     * segment.
     */
    public long atOrBefore(long second) {
        int segment = zone.segmentAt(second);
        long local = second + zone.offset(segment);
        while (true) {
            long match = pattern.atOrBefore(local);
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

    /** Returns the mark of a fire time. */
    public DstMark mark(long second) {
        int segment = zone.segmentAt(second);
        long local = second + zone.offset(segment);
        if (pattern.atOrAfter(local) != local) {
            return DstMark.SHIFTED;
        }
        boolean secondPass = !zone.isFirst(segment) && local < zone.localEndBefore(segment);
        return secondPass ? DstMark.REPEATED : DstMark.NONE;
    }

    /** Returns the wall-clock times for which a fire time stands: its own, and those in the gap that ends there. */
    public List<Long> localTimes(long second) {
        int segment = zone.segmentAt(second);
        long local = second + zone.offset(segment);
        List<Long> found = new ArrayList<>();
        long first = isRightAfterGap(second, segment) ? zone.localEndBefore(segment) : local;
        for (long match = pattern.atOrAfter(first); match <= local; match = pattern.atOrAfter(match + 1)) {
            found.add(match);
        }
        return found;
    }

    /**
     * Returns the instants at which a wall-clock time fires if it is a match: none in a gap whose times do not shift,
     * and two if it occurs twice and repeats.
     */
    public List<Long> instants(long local) {
        List<Long> found = new ArrayList<>();
        int last = zone.segmentAt(local + MAX_OFFSET);
        for (int segment = zone.segmentAt(local - MAX_OFFSET); segment <= last; segment++) {
            long instant = local - zone.offset(segment);
            if (zone.segmentAt(instant) == segment && (repeats || found.isEmpty())) {
                found.add(instant);
            } else if (shifts
                    && !zone.isFirst(segment)
                    && zone.localEndBefore(segment) <= local
                    && local < zone.localStart(segment)) {
                found.add(zone.start(segment));
            }
        }
        return found;
    }

    /** Whether a match would fire at an instant if its wall-clock time were moved by whole days. */
    public boolean arrivesAt(long second, int days) {
        int segment = zone.segmentAt(second);
        long local = second + zone.offset(segment);
        long moved = (long) days * LocalPattern.SECONDS_PER_DAY;
        boolean isItself = pattern.atOrAfter(local - moved) == local - moved
                && instants(local).contains(second)
                && !instants(local - moved).isEmpty();
        return isItself
                || shifts
                        && !zone.isFirst(segment)
                        && zone.start(segment) == second
                        && pattern.atOrAfter(zone.localEndBefore(segment) - moved) < zone.localStart(segment) - moved;
    }

    private boolean isRightAfterGap(long second, int segment) {
        return shifts
                && !zone.isFirst(segment)
                && zone.start(segment) == second
                && pattern.atOrAfter(zone.localEndBefore(segment)) < zone.localStart(segment);
    }

    /**
     * Returns the wall-clock time from which a segment fires: after an overlap, not before the times that have already
     * fired.
     */
    private long firstLocal(int segment) {
        if (zone.isFirst(segment)) {
            return Long.MIN_VALUE;
        }
        long resumed = zone.localStart(segment);
        return repeats ? resumed : Math.max(resumed, zone.localEndBefore(segment));
    }
}
