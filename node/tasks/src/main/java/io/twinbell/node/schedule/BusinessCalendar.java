package io.twinbell.node.schedule;

import io.twinbell.node.engine.task.Schedule;
import io.twinbell.node.schedule.zone.ZoneTimeline;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;

/**
 * Decides at which instants the tasks that respect this calendar may fire. It consists of days and weekly hours on the
 * wall clock of a zone, and of spans of real time. An instant is judged by the wall clock at that instant. So hours
 * that a clock change repeats count twice, and hours that it skips never occur.
 *
 * <p>Instants are epoch milliseconds. Immutable and pure. Each query visits every change of the calendar, and of its
 * zone's offset, at most once between 1970 and 2199.
 */
public final class BusinessCalendar {
    public static final long DAY = 86_400;
    public static final long WEEK = 7 * DAY;

    /** 1970-01-01 was a Thursday, and weeks begin on Monday. */
    private static final long FIRST_MONDAY = -3 * DAY;

    private static final long EARLIEST = Window.EARLIEST / 1000;
    private static final long LATEST = Window.LATEST / 1000;

    private final String name;
    private final long version;
    private final boolean excludes;
    private final ZoneTimeline zone;
    private final Times times;

    /** The effect of the calendar's times. */
    public enum Mode {
        /** Nothing fires within the times. */
        EXCLUDE,
        /** Nothing fires outside the times. */
        ALLOW
    }

    /**
     * The times of a calendar.
     *
     * @param days in seconds of local time since 1970
     * @param week in seconds since Monday, 00:00, on the wall clock; none extends beyond {@link #WEEK}
     * @param spans in seconds since 1970 UTC
     */
    public record Times(TimeRanges days, TimeRanges week, TimeRanges spans) {
        /** Whether there are no times at all. */
        public boolean isEmpty() {
            return days.isEmpty() && week.isEmpty() && spans.isEmpty();
        }
    }

    public BusinessCalendar(String name, long version, Mode mode, ZoneId zone, Times times) {
        this.name = name;
        this.version = version;
        this.excludes = mode == Mode.EXCLUDE;
        this.zone = ZoneTimeline.of(zone);
        this.times = times;
    }

    public String name() {
        return name;
    }

    /** Differs after each change of the calendar's content. */
    public long version() {
        return version;
    }

    /** Whether a task may fire at this instant. */
    public boolean allows(long millis) {
        return allowsSecond(Math.floorDiv(millis, 1000L));
    }

    /**
     * A span of time.
     *
     * @param untilMillis exclusive
     */
    public record Span(long fromMillis, long untilMillis) {}

    /** Returns the spans within {@code [fromMillis, untilMillis)} in which nothing may fire, the first {@code limit}. */
    public List<Span> excluded(long fromMillis, long untilMillis, int limit) {
        List<Span> found = new ArrayList<>();
        long at = fromMillis;
        while (at < untilMillis && found.size() < limit) {
            long change = changeAfter(Math.floorDiv(at, 1000L));
            long end = change == Long.MAX_VALUE ? untilMillis : Math.min(untilMillis, change * 1000);
            if (!allows(at)) {
                found.add(new Span(at, end));
            }
            at = end;
        }
        return found;
    }

    /** Returns the first allowed instant at or after this one, or {@link Schedule#NEVER}. */
    long allowedFrom(long millis) {
        long second = Math.floorDiv(millis, 1000L);
        if (allowsSecond(second)) {
            return millis;
        }
        long change = changeAfter(second);
        return change == Long.MAX_VALUE ? Schedule.NEVER : change * 1000;
    }

    /** Returns the last allowed instant at or before this one, or {@link Schedule#NONE_BEFORE}. */
    long allowedUpTo(long millis) {
        long second = Math.floorDiv(millis, 1000L);
        if (allowsSecond(second)) {
            return millis;
        }
        long change = changeBefore(second);
        return change == Long.MIN_VALUE ? Schedule.NONE_BEFORE : change * 1000 + 999;
    }

    /** Returns the end of the allowed span that contains this allowed instant. */
    long allowedUntil(long millis) {
        long change = changeAfter(Math.floorDiv(millis, 1000L));
        return change == Long.MAX_VALUE ? Schedule.NEVER : change * 1000 - 1;
    }

    private boolean allowsSecond(long second) {
        return covers(second) != excludes;
    }

    private boolean covers(long second) {
        return times.spans().covers(second) || coversLocal(second + zone.offset(zone.segmentAt(second)));
    }

    private boolean coversLocal(long local) {
        return times.days().covers(local) || times.week().covers(Math.floorMod(local - FIRST_MONDAY, WEEK));
    }

    /** Returns the first second after this one at which the result of {@link #covers} differs. */
    private long changeAfter(long second) {
        boolean covered = covers(second);
        long at = second;
        while (at <= LATEST) {
            at = boundaryAfter(at, covered);
            if (at != Long.MAX_VALUE && covers(at) != covered) {
                return at;
            }
        }
        return Long.MAX_VALUE;
    }

    /** Returns the next second at which the result may change; until then it does not. */
    private long boundaryAfter(long second, boolean covered) {
        int segment = zone.segmentAt(second);
        long offset = zone.offset(segment);
        long local = second + offset;
        long wall = covered ? localEnd(local) : localStart(local);
        long instant = wall == Long.MAX_VALUE ? wall : wall - offset;
        if (!zone.isLast(segment)) {
            instant = Math.min(instant, zone.start(segment + 1));
        }
        return covered
                ? Math.max(instant, times.spans().endAt(second))
                : Math.min(instant, times.spans().startAfter(second));
    }

    private long localEnd(long local) {
        long inWeek = Math.floorMod(local - FIRST_MONDAY, WEEK);
        return Math.max(times.days().endAt(local), local - inWeek + times.week().endAt(inWeek));
    }

    private long localStart(long local) {
        if (times.week().isEmpty()) {
            return times.days().startAfter(local);
        }
        long inWeek = Math.floorMod(local - FIRST_MONDAY, WEEK);
        long next = times.week().startAfter(inWeek);
        long start = next == Long.MAX_VALUE ? WEEK + times.week().start(0) : next;
        return Math.min(times.days().startAfter(local), local - inWeek + start);
    }

    /** Returns the last second before this one at which the result of {@link #covers} differs. */
    private long changeBefore(long second) {
        boolean covered = covers(second);
        long at = second;
        while (at >= EARLIEST) {
            at = boundaryBefore(at, covered);
            if (at != Long.MIN_VALUE && covers(at) != covered) {
                return at;
            }
        }
        return Long.MIN_VALUE;
    }

    /** Returns the previous second at which the result may change; after it, it does not. */
    private long boundaryBefore(long second, boolean covered) {
        int segment = zone.segmentAt(second);
        long offset = zone.offset(segment);
        long wall = covered ? localStartBack(second + offset) : localEndBack(second + offset);
        long instant = wall == Long.MIN_VALUE ? wall : wall - offset;
        if (!zone.isFirst(segment)) {
            instant = Math.max(instant, zone.start(segment));
        }
        long first = covered
                ? Math.min(instant, times.spans().startAt(second))
                : Math.max(instant, times.spans().endBefore(second));
        return first == Long.MIN_VALUE ? first : first - 1;
    }

    private long localStartBack(long local) {
        long inWeek = Math.floorMod(local - FIRST_MONDAY, WEEK);
        return Math.min(
                times.days().startAt(local), local - inWeek + times.week().startAt(inWeek));
    }

    private long localEndBack(long local) {
        if (times.week().isEmpty()) {
            return times.days().endBefore(local);
        }
        long inWeek = Math.floorMod(local - FIRST_MONDAY, WEEK);
        long last = times.week().endBefore(inWeek);
        long end = last == Long.MIN_VALUE ? times.week().end(times.week().size() - 1) - WEEK : last;
        return Math.max(times.days().endBefore(local), local - inWeek + end);
    }
}
