package io.twinbell.node.schedule;

import io.twinbell.node.engine.task.DstMark;
import io.twinbell.node.engine.task.Overdue;
import io.twinbell.node.engine.task.Schedule;
import io.twinbell.node.schedule.cron.CronExpression;
import io.twinbell.node.schedule.cron.CronWords;
import io.twinbell.node.schedule.recurrence.RecurrenceDefinition;
import io.twinbell.node.schedule.zone.DstGap;
import io.twinbell.node.schedule.zone.DstOverlap;
import io.twinbell.node.schedule.zone.ZoneTimeline;
import io.twinbell.node.schedule.zone.ZonedPattern;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.function.Supplier;

/** Fires at whole seconds when the wall clock of a zone matches a cron expression or a recurrence rule. */
final class PatternSchedule implements Schedule {
    private final ZonedPattern pattern;
    private final Window window;
    private final Supplier<String> words;
    private final ZoneId zone;
    private final int timesOfDay;
    /** Stored because each claim needs it, and a fixed offset creates new rules on each request. */
    private final boolean followsAZone;

    private PatternSchedule(ZonedPattern pattern, Window window, Supplier<String> words, ZoneId zone, int timesOfDay) {
        this.pattern = pattern;
        this.window = window;
        this.words = words;
        this.zone = zone;
        this.timesOfDay = timesOfDay;
        followsAZone = !zone.getRules().isFixedOffset();
    }

    static PatternSchedule of(CronExpression expression, ZoneId zone, DstGap gap, DstOverlap overlap, Window window) {
        boolean shifts = gap == DstGap.SHIFT && !expression.followsRealTime();
        boolean repeats = overlap == DstOverlap.TWICE || expression.followsRealTime();
        ZonedPattern pattern = new ZonedPattern(expression.calendar(), ZoneTimeline.of(zone), shifts, repeats);
        return new PatternSchedule(
                pattern,
                window,
                () -> CronWords.of(expression),
                zone,
                expression.time().count());
    }

    static PatternSchedule of(
            RecurrenceDefinition recurrence, ZoneId zone, DstGap gap, DstOverlap overlap, Window window) {
        boolean shifts = gap == DstGap.SHIFT && !recurrence.followsRealTime();
        boolean repeats = overlap == DstOverlap.TWICE || recurrence.followsRealTime();
        ZonedPattern pattern =
                new ZonedPattern(recurrence.pattern(zone.getRules()), ZoneTimeline.of(zone), shifts, repeats);
        return new PatternSchedule(pattern, window, recurrence::words, zone, recurrence.timesOfDay());
    }

    @Override
    public long next(long afterMillis) {
        if (afterMillis >= window.lastMillis()) {
            return NEVER;
        }
        long from = Math.max(afterMillis + 1, window.startMillis());
        long second = pattern.atOrAfter(-Math.floorDiv(-from, 1000L));
        return second > Math.floorDiv(window.lastMillis(), 1000L) ? NEVER : second * 1000;
    }

    @Override
    public long previous(long beforeMillis) {
        if (beforeMillis <= window.startMillis()) {
            return NONE_BEFORE;
        }
        long upTo = Math.min(beforeMillis - 1, window.lastMillis());
        long second = pattern.atOrBefore(Math.floorDiv(upTo, 1000L));
        return second < -Math.floorDiv(-window.startMillis(), 1000L) ? NONE_BEFORE : second * 1000;
    }

    @Override
    public Overdue overdue(long firstMillis, long untilMillis, int limit) {
        return counted(this, firstMillis, untilMillis, limit);
    }

    /** Counts fire time by fire time. */
    static Overdue counted(Schedule schedule, long firstMillis, long untilMillis, int limit) {
        if (firstMillis > untilMillis) {
            return Overdue.none(firstMillis);
        }
        long count = 1;
        long last = firstMillis;
        for (long fire = schedule.next(firstMillis); fire <= untilMillis && fire != NEVER; fire = schedule.next(fire)) {
            if (count >= limit) {
                return new Overdue(firstMillis, newest(schedule, untilMillis), count, false);
            }
            count++;
            last = fire;
        }
        return new Overdue(firstMillis, last, count, true);
    }

    @Override
    public DstMark mark(long fireMillis) {
        boolean fires = fireMillis != NONE_BEFORE && fireMillis != NEVER && next(fireMillis - 1) == fireMillis;
        return fires ? pattern.mark(fireMillis / 1000) : DstMark.NONE;
    }

    ZoneId zone() {
        return zone;
    }

    /** Returns the wall-clock times for which a fire time stands, in seconds since 1970; several if a gap ends there. */
    List<Long> localTimes(long fireMillis) {
        return pattern.localTimes(fireMillis / 1000);
    }

    /** Returns the instants, in seconds, at which a wall-clock time fires if it is one of the schedule. */
    List<Long> seconds(long localSecond) {
        return pattern.instants(localSecond);
    }

    /** Whether a wall-clock time of the schedule would fire at an instant if it were moved by whole days. */
    boolean arrivesAt(long millis, int days) {
        return millis % 1000 == 0 && pattern.arrivesAt(millis / 1000, days);
    }

    /** Returns how many times a day of the pattern has at most; times beside a rule do not count. */
    int timesOfDay() {
        return timesOfDay;
    }

    @Override
    public boolean followsAZone() {
        return followsAZone;
    }

    @Override
    public String description() {
        return words.get() + ", " + zoneName();
    }

    private String zoneName() {
        return zone.equals(ZoneOffset.UTC) ? "UTC" : zone.getId();
    }

    /** Returns the latest fire time up to an instant, which is included. */
    static long newest(Schedule schedule, long untilMillis) {
        return schedule.previous(untilMillis == NEVER ? NEVER : untilMillis + 1);
    }
}
