package io.twinbell.node.schedule;

import io.twinbell.node.engine.task.DstMark;
import io.twinbell.node.engine.task.Overdue;
import io.twinbell.node.engine.task.Schedule;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneRules;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * A schedule whose fire times move to another day if a calendar excludes them: to the same local time on the next or
 * previous day that has this time and on which the calendars allow it. That local time is the schedule's, also if a
 * clock change has shifted the fire time, and the schedule's rules for clock changes apply where it arrives. Fire times
 * that move to one instant become one. A fire time with no such day within {@value #MAX_DAYS} days does not fire.
 *
 * <p>No fire time moves across a day of 24 hours or more without exclusions. So a search examines only the fire times
 * between two such days, and at most {@value #MAX_DAYS} days on either side.
 */
final class MovedSchedule implements Schedule {
    /** The maximum distance of a move. It is longer than a closure over the turn of the year. */
    static final int MAX_DAYS = 31;
    /** More times of the day would make a search slow. */
    static final int MAX_TIMES_OF_DAY = 24;

    private static final long DAY = 86_400_000L;
    private static final long REACH = (MAX_DAYS + 2) * DAY;

    private final PatternSchedule inner;
    private final CalendarSchedule skipping;
    private final boolean forward;
    private final Window window;
    private final ZoneId zone;
    private final ZoneRules rules;

    MovedSchedule(PatternSchedule inner, CalendarSchedule skipping, boolean forward, Window window) {
        this.inner = inner;
        this.skipping = skipping;
        this.forward = forward;
        this.window = window;
        zone = inner.zone();
        rules = zone.getRules();
    }

    @Override
    public long next(long afterMillis) {
        long after = Math.max(afterMillis, Window.EARLIEST - 1);
        if (after >= window.lastMillis()) {
            return NEVER;
        }
        long found = NEVER;
        long last = NEVER;
        long nominal = inner.next((forward ? openDayBefore(after) : after + 1) - 1);
        for (int i = 0; i < CalendarSchedule.MAX_STRETCHES && nominal <= last && nominal != NEVER; i++) {
            List<Long> fires = moved(nominal);
            for (long fire : fires) {
                if (fire > after && fire < found) {
                    found = fire;
                    last = forward ? fire : openDayAfter(fire);
                }
            }
            nominal = inner.next(fires.isEmpty() ? lastBeforeReach(nominal) : nominal);
        }
        return found;
    }

    /** Returns, for a fire time that does not fire, an instant at or after it up to which no other one fires either. */
    private long lastBeforeReach(long nominal) {
        long open = skipping.openFrom(nominal);
        long closedUntil = open == NEVER ? Window.LATEST : open - 1;
        if (forward) {
            return Math.max(nominal, closedUntil - REACH);
        }
        // Later times of the same closed stretch can still move back to before it, at another time of the day.
        return skipping.openUpTo(nominal) < nominal - REACH ? closedUntil : nominal;
    }

    @Override
    public long previous(long beforeMillis) {
        long before = Math.min(beforeMillis, Window.LATEST + 1);
        if (before <= window.startMillis()) {
            return NONE_BEFORE;
        }
        long found = NONE_BEFORE;
        long first = NONE_BEFORE;
        long nominal = inner.previous(forward ? before : openDayAfter(before) + 1);
        for (int i = 0; i < CalendarSchedule.MAX_STRETCHES && nominal >= first && nominal != NONE_BEFORE; i++) {
            List<Long> fires = moved(nominal);
            for (long fire : fires) {
                if (fire < before && fire > found) {
                    found = fire;
                    first = forward ? openDayBefore(fire) : fire;
                }
            }
            nominal = inner.previous(fires.isEmpty() ? firstWithinReach(nominal) : nominal);
        }
        return found;
    }

    /** Like {@link #lastBeforeReach}, in the other direction: returns an instant at or before the fire time. */
    private long firstWithinReach(long nominal) {
        long open = skipping.openUpTo(nominal);
        long closedFrom = open == NONE_BEFORE ? Window.EARLIEST : open + 1;
        if (!forward) {
            return Math.min(nominal, closedFrom + REACH);
        }
        return skipping.openFrom(nominal) > nominal + REACH ? closedFrom : nominal;
    }

    /**
     * Returns the instants to which a nominal fire time moves, in order; itself if the calendars allow it. There are
     * several if a gap made one fire time of several local times, or if the local time occurs twice where it arrives.
     */
    private List<Long> moved(long nominal) {
        if (allows(nominal)) {
            return List.of(nominal);
        }
        Set<Long> fires = new TreeSet<>();
        for (long local : inner.localTimes(nominal)) {
            boolean hasArrived = false;
            for (int days = 1; days <= MAX_DAYS && !hasArrived; days++) {
                for (long second : inner.seconds(local + (forward ? days : -days) * DAY / 1000)) {
                    long fire = second * 1000;
                    if (fire >= window.startMillis() && fire <= window.lastMillis() && allows(fire)) {
                        hasArrived = true;
                        fires.add(fire);
                    }
                }
            }
        }
        return List.copyOf(fires);
    }

    /** A time in a gap is the first instant after it, and a repeated time the first of the two. */
    private long instant(LocalDateTime local) {
        List<ZoneOffset> offsets = rules.getValidOffsets(local);
        return offsets.isEmpty()
                ? rules.getTransition(local).getInstant().toEpochMilli()
                : local.toInstant(offsets.get(0)).toEpochMilli();
    }

    /** Returns the end of the latest fully open day before the day of an instant, at most {@link #MAX_DAYS} earlier. */
    private long openDayBefore(long millis) {
        LocalDate day = day(millis);
        for (int days = 1; days <= MAX_DAYS; days++) {
            if (isOpen(day.minusDays(days))) {
                return start(day.minusDays(days - 1L));
            }
        }
        return millis - REACH;
    }

    /** Returns the start of the first fully open day after the day of an instant, at most {@link #MAX_DAYS} later. */
    private long openDayAfter(long millis) {
        LocalDate day = day(millis);
        for (int days = 1; days <= MAX_DAYS; days++) {
            if (isOpen(day.plusDays(days))) {
                return start(day.plusDays(days));
            }
        }
        return millis + REACH;
    }

    private LocalDate day(long millis) {
        return LocalDate.ofInstant(Instant.ofEpochMilli(millis), zone);
    }

    private long start(LocalDate day) {
        return instant(day.atStartOfDay());
    }

    /** A day that clocks have shortened may lack the local time of a fire time, which then moves across it. */
    private boolean isOpen(LocalDate day) {
        long start = start(day);
        long end = start(day.plusDays(1));
        return end - start >= DAY && skipping.allows(start) && skipping.openUntil(start) >= end - 1;
    }

    @Override
    public Overdue overdue(long firstMillis, long untilMillis, int limit) {
        return PatternSchedule.counted(this, firstMillis, untilMillis, limit);
    }

    @Override
    public DstMark mark(long fireMillis) {
        return allows(fireMillis) ? inner.mark(fireMillis) : DstMark.NONE;
    }

    @Override
    public String description() {
        return skipping.description() + ", otherwise on the " + (forward ? "next" : "previous") + " day that "
                + (calendars().size() == 1 ? "it allows" : "they allow");
    }

    @Override
    public boolean followsAZone() {
        return inner.followsAZone();
    }

    @Override
    public boolean allows(long millis) {
        return skipping.allows(millis);
    }

    @Override
    public long letThrough(long fireMillis) {
        return allows(fireMillis) ? fireMillis : next(fireMillis);
    }

    @Override
    public List<String> excludedBy(long millis) {
        return skipping.excludedBy(millis);
    }

    @Override
    public Map<String, Long> calendars() {
        return skipping.calendars();
    }

    @Override
    public Schedule withoutCalendars() {
        return inner;
    }

    @Override
    public boolean mayFireAt(long millis) {
        boolean may = inner.mayFireAt(millis);
        for (int days = 1; days <= MAX_DAYS && !may; days++) {
            may = inner.arrivesAt(millis, forward ? days : -days);
        }
        return may;
    }

    @Override
    public long movedTo(long nominalMillis) {
        boolean isNominal = inner.next(nominalMillis - 1) == nominalMillis;
        List<Long> fires = isNominal && !allows(nominalMillis) ? moved(nominalMillis) : List.of();
        return fires.isEmpty() ? NEVER : fires.get(0);
    }
}
