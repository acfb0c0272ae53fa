package io.twinbell.node.schedule;

import java.util.Map;

/**
 * When a task runs: a pure function from an instant to the fire times around it.
 *
 * <p>Instants are epoch milliseconds, UTC. A schedule never reads a clock, never throws from here, and is safe to share
 * between threads. No schedule fires outside its {@link Window}, nor after {@link Window#LATEST}.
 */
public sealed interface Schedule
        permits CronSchedule, FixedRate, FixedDelay, OneShot, CalendarSchedule, JitteredSchedule {
    /** What {@link #next} answers when there is no further fire time. */
    long NEVER = Long.MAX_VALUE;

    /** What {@link #previous} answers when there was no earlier fire time. */
    long NONE_BEFORE = Long.MIN_VALUE;

    /** The first fire time strictly after the given instant, or {@link #NEVER}. */
    long next(long afterMillis);

    /** The last fire time strictly before the given instant, or {@link #NONE_BEFORE}. */
    long previous(long beforeMillis);

    /**
     * Counts the fire times from {@code firstMillis} up to and including {@code untilMillis}.
     *
     * @param firstMillis counted without question: it may have been set by hand, off the schedule
     * @param limit how many fire times of a cron schedule to count before giving up, at least 1; intervals are counted by
     *     arithmetic and need no limit
     */
    Overdue overdue(long firstMillis, long untilMillis, int limit);

    /** What a change of the zone's clocks did to this fire time; {@link DstMark#NONE} for what is no fire time at all. */
    DstMark mark(long fireMillis);

    /** The schedule in words, for people. */
    String description();

    /** True if the next fire time is counted from the end of a run, so that only {@link #afterRun} can tell it. */
    default boolean followsTheRun() {
        return false;
    }

    /** The fire time that follows a run, or {@link #NEVER}; of a schedule that does not follow its runs, the next one. */
    default long afterRun(long endMillis) {
        return next(endMillis);
    }

    /**
     * Whether its calendars let a fire time through; of a jittered one the instant that it is meant by is asked. What
     * respects none lets everything through.
     */
    default boolean allows(long millis) {
        return true;
    }

    /** The fire time itself if its calendars let it through, else the first that takes its place, or {@link #NEVER}. */
    default long letThrough(long fireMillis) {
        return fireMillis;
    }

    /** The version of each calendar that it respects, by name. */
    default Map<String, Long> calendars() {
        return Map.of();
    }

    /** The same without its calendars. */
    default Schedule withoutCalendars() {
        return this;
    }

    /** True if it has a single fire time, which counts though it may have passed. */
    default boolean firesOnce() {
        return false;
    }

    /** True if what changes a zone's rules, such as a new zone database, may move its fire times. */
    default boolean followsAZone() {
        return false;
    }

    /** The instant that the schedule means by a fire time; jitter alone sets them apart. */
    default long meantBy(long fireMillis) {
        return fireMillis;
    }

    /** When it fires for the first instant that it means after the given one; {@link #NEVER} if it means none. */
    default long nextMeant(long afterMillis) {
        return next(afterMillis);
    }

    /** When it fires for an instant that it means; {@link #NEVER} if it means no such instant. */
    default long fireFor(long meantMillis) {
        return next(meantMillis - 1) == meantMillis ? meantMillis : NEVER;
    }
}
