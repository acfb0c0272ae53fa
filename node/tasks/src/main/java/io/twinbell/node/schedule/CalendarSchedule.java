package io.twinbell.node.schedule;

import io.twinbell.node.engine.task.DstMark;
import io.twinbell.node.engine.task.Overdue;
import io.twinbell.node.engine.task.Schedule;
import io.twinbell.node.engine.task.ScheduleException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A schedule restricted by calendars: a fire time that a calendar excludes does not fire.
 *
 * <p>A search skips each excluded stretch as a whole, at most {@value #MAX_STRETCHES} of them. A schedule that would
 * fire only after these counts as one that never fires.
 */
public final class CalendarSchedule implements Schedule {
    /** Enough for 27 years of daily stretches; visiting them takes a few milliseconds. */
    static final int MAX_STRETCHES = 10_000;

    private final Schedule inner;
    private final List<BusinessCalendar> calendars;
    private final Window window;
    private final Map<String, Long> versions;

    private CalendarSchedule(Schedule inner, List<BusinessCalendar> calendars, Window window) {
        this.inner = inner;
        this.calendars = calendars;
        this.window = window;
        Map<String, Long> named = new LinkedHashMap<>();
        calendars.forEach(calendar -> named.put(calendar.name(), calendar.version()));
        versions = Map.copyOf(named);
    }

    /**
     * Returns the schedule restricted by all of these calendars; without calendars, the schedule itself.
     *
     * @param window the window of the schedule
     */
    public static Schedule of(Schedule schedule, List<BusinessCalendar> calendars, Window window) {
        return calendars.isEmpty() ? schedule : new CalendarSchedule(schedule, List.copyOf(calendars), window);
    }

    /**
     * Returns the schedule restricted by all of these calendars, which may move its fire times.
     *
     * @throws ScheduleException if the schedule has no local times to move, or too many
     */
    public static Schedule of(
            Schedule schedule, List<BusinessCalendar> calendars, OnExcluded onExcluded, Window window) {
        if (onExcluded == OnExcluded.SKIP) {
            return of(schedule, calendars, window);
        }
        if (!(schedule instanceof PatternSchedule pattern) || pattern.timesOfDay() > MovedSchedule.MAX_TIMES_OF_DAY) {
            throw new ScheduleException(
                    "",
                    onExcluded + " requires a schedule with cron or rrule, at most " + MovedSchedule.MAX_TIMES_OF_DAY
                            + " times a day");
        }
        return calendars.isEmpty()
                ? schedule
                : new MovedSchedule(
                        pattern,
                        new CalendarSchedule(schedule, List.copyOf(calendars), window),
                        onExcluded == OnExcluded.NEXT,
                        window);
    }

    @Override
    public long next(long afterMillis) {
        return letThrough(inner.next(afterMillis));
    }

    /**
     * A schedule that depends on its runs waits for the first allowed instant; other schedules continue with their
     * next fire time.
     */
    @Override
    public long letThrough(long fireMillis) {
        long fire = fireMillis;
        for (int stretch = 0; stretch < MAX_STRETCHES && fire != NEVER; stretch++) {
            long open = openFrom(fire);
            if (open == fire) {
                return fire;
            }
            if (open > window.lastMillis()) {
                return NEVER;
            }
            fire = inner.followsTheRun() ? open : inner.next(open - 1);
        }
        return NEVER;
    }

    /** Returns the fire time if all calendars allow it; otherwise an instant before which they allow nothing. */
    long openFrom(long fireMillis) {
        long open = fireMillis;
        for (BusinessCalendar calendar : calendars) {
            if (open != NEVER) {
                open = calendar.allowedFrom(open);
            }
        }
        return open;
    }

    @Override
    public long previous(long beforeMillis) {
        if (inner.followsTheRun()) {
            long first = letThrough(inner.next(window.startMillis() - 1));
            return first < beforeMillis ? first : NONE_BEFORE;
        }
        long fire = inner.previous(beforeMillis);
        for (int stretch = 0; stretch < MAX_STRETCHES && fire != NONE_BEFORE; stretch++) {
            long open = openUpTo(fire);
            if (open == fire) {
                return fire;
            }
            fire = open == NONE_BEFORE ? NONE_BEFORE : inner.previous(open + 1);
        }
        return NONE_BEFORE;
    }

    /** Returns the fire time if all calendars allow it; otherwise an instant after which they allow nothing up to it. */
    long openUpTo(long fireMillis) {
        long open = fireMillis;
        for (BusinessCalendar calendar : calendars) {
            if (open != NONE_BEFORE) {
                open = calendar.allowedUpTo(open);
            }
        }
        return open;
    }

    /** Counts stretch by stretch, each as the inner schedule counts. */
    @Override
    public Overdue overdue(long firstMillis, long untilMillis, int limit) {
        if (firstMillis > untilMillis) {
            return Overdue.none(firstMillis);
        }
        if (inner.followsTheRun()) {
            return inner.overdue(firstMillis, untilMillis, limit);
        }
        long count = 1;
        long last = firstMillis;
        long fire = next(firstMillis);
        for (int stretch = 0; fire <= untilMillis && fire != NEVER; stretch++) {
            long until = Math.min(untilMillis, openUntil(fire));
            Overdue inside = inner.overdue(fire, until, (int) Math.max(1, limit - count));
            count += inside.count();
            last = inside.last();
            fire = next(until);
            boolean isMore = fire <= untilMillis && fire != NEVER;
            if (!inside.complete() || isMore && stretch == MAX_STRETCHES) {
                return new Overdue(firstMillis, PatternSchedule.newest(this, untilMillis), count, false);
            }
        }
        return new Overdue(firstMillis, last, count, true);
    }

    /** Returns the end of the span that contains this instant, which the calendars allow. */
    long openUntil(long fireMillis) {
        long until = NEVER;
        for (BusinessCalendar calendar : calendars) {
            until = Math.min(until, calendar.allowedUntil(fireMillis));
        }
        return until;
    }

    @Override
    public DstMark mark(long fireMillis) {
        return allows(fireMillis) ? inner.mark(fireMillis) : DstMark.NONE;
    }

    @Override
    public String description() {
        String names = calendars.stream().map(BusinessCalendar::name).collect(Collectors.joining(" and "));
        return inner.description() + ", when " + (calendars.size() == 1 ? "the calendar " : "the calendars ") + names
                + (calendars.size() == 1 ? " allows it" : " allow it");
    }

    @Override
    public boolean followsTheRun() {
        return inner.followsTheRun();
    }

    @Override
    public long afterRun(long endMillis) {
        return letThrough(inner.afterRun(endMillis));
    }

    @Override
    public boolean firesOnce() {
        return inner.firesOnce();
    }

    @Override
    public boolean followsAZone() {
        return inner.followsAZone();
    }

    @Override
    public boolean allows(long millis) {
        for (BusinessCalendar calendar : calendars) {
            if (!calendar.allows(millis)) {
                return false;
            }
        }
        return true;
    }

    @Override
    public List<String> excludedBy(long millis) {
        return calendars.stream()
                .filter(calendar -> !calendar.allows(millis))
                .map(BusinessCalendar::name)
                .toList();
    }

    @Override
    public Map<String, Long> calendars() {
        return versions;
    }

    @Override
    public Schedule withoutCalendars() {
        return inner;
    }
}
