package io.twinbell.node.engine.task;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Computes the fire times of a task before and after a given instant, as a pure function.
 *
 * <p>Instants are epoch milliseconds, UTC. A schedule never reads a clock, its methods never throw, and it is
 * thread-safe. No schedule fires before 1970 or after 2199.
 */
public interface Schedule {
    /** Returned by {@link #next} if there is no further fire time. */
    long NEVER = Long.MAX_VALUE;

    /** Returned by {@link #previous} if there was no earlier fire time. */
    long NONE_BEFORE = Long.MIN_VALUE;

    /** Returns the first fire time strictly after the given instant, or {@link #NEVER}. */
    long next(long afterMillis);

    /** Returns the last fire time strictly before the given instant, or {@link #NONE_BEFORE}. */
    long previous(long beforeMillis);

    /**
     * Counts the fire times from {@code firstMillis} to {@code untilMillis}, both included.
     *
     * @param firstMillis always counted: it may have been set by hand, off the schedule
     * @param limit the maximum number of counted fire times of a cron expression or a rule, at least 1; intervals are
     *     counted by arithmetic and need no limit
     */
    Overdue overdue(long firstMillis, long untilMillis, int limit);

    /**
     * Counts the fire times from {@code firstMillis} to {@code untilMillis}, both included, by arithmetic, as if runs
     * took no time. Empty if each fire time has to be computed.
     *
     * @param firstMillis always counted
     */
    default Optional<Overdue> countOnGrid(long firstMillis, long untilMillis) {
        return Optional.empty();
    }

    /**
     * Returns how a clock change of the zone affected this fire time; {@link DstMark#NONE} if this is not a fire time.
     */
    DstMark mark(long fireMillis);

    /** Describes the schedule in words. */
    String description();

    /** Whether the next fire time depends on the end of a run, so that only {@link #afterRun} can compute it. */
    default boolean followsTheRun() {
        return false;
    }

    /**
     * Returns the fire time after a run, or {@link #NEVER}; for a schedule that does not depend on its runs, the next
     * one.
     */
    default long afterRun(long endMillis) {
        return next(endMillis);
    }

    /**
     * Whether the calendars allow a fire time; with jitter, they judge its nominal instant. Without calendars every
     * fire time is allowed.
     */
    default boolean allows(long millis) {
        return true;
    }

    /**
     * Returns the fire time if the calendars allow it, otherwise the first allowed one that replaces it, or
     * {@link #NEVER}.
     */
    default long letThrough(long fireMillis) {
        return fireMillis;
    }

    /** Returns the names of the calendars that exclude this instant; with jitter, its nominal instant. */
    default List<String> excludedBy(long millis) {
        return List.of();
    }

    /** Returns the version of each calendar that the schedule respects, by name. */
    default Map<String, Long> calendars() {
        return Map.of();
    }

    /** Returns the same schedule without its calendars. */
    default Schedule withoutCalendars() {
        return this;
    }

    /**
     * Whether the schedule itself has this fire time. A run by hand must take another one. A schedule that follows its
     * runs has no fire times in advance.
     */
    default boolean hasFireTime(long millis) {
        return !followsTheRun() && next(millis - 1) == millis;
    }

    /** Whether the schedule could fire at this instant with other calendars; if not, the fire time was set by hand. */
    default boolean mayFireAt(long millis) {
        return withoutCalendars().next(millis - 1) == millis;
    }

    /** Returns the instant to which the calendars move a fire time that they exclude; {@link #NEVER} if to none. */
    default long movedTo(long nominalMillis) {
        return NEVER;
    }

    /** Whether the schedule has a single fire time, which counts even if it has passed. */
    default boolean firesOnce() {
        return false;
    }

    /** Whether a change of a zone's rules, such as a new zone database, may move the fire times. */
    default boolean followsAZone() {
        return false;
    }

    /** Returns the nominal instant of a fire time; the two differ only with jitter. */
    default long nominalTime(long fireMillis) {
        return fireMillis;
    }

    /** Returns the fire time of the first nominal instant after the given one; {@link #NEVER} if there is none. */
    default long nextByNominal(long afterMillis) {
        return next(afterMillis);
    }

    /** Returns the fire time of a nominal instant; {@link #NEVER} if the schedule does not contain it. */
    default long fireFor(long meantMillis) {
        return next(meantMillis - 1) == meantMillis ? meantMillis : NEVER;
    }
}
