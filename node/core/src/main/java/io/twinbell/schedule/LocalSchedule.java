package io.twinbell.schedule;

import java.time.LocalDateTime;

/**
 * The fire times of one task with a {@link ScheduleType}: wall-clock times of the zone that the task names, in whole
 * seconds. Twinbell turns them into instants, and treats clock changes as for cron ({@code dstGap},
 * {@code dstOverlap}). A schedule that follows real time, such as sunset, computes in UTC and leaves the zone out.
 * Immutable.
 */
public interface LocalSchedule {
    /** Returns the first time strictly after the given one; null if there is none before the year 2200. */
    LocalDateTime next(LocalDateTime after);

    /** Returns the last time strictly before the given one; null if there is none since 1970. */
    LocalDateTime previous(LocalDateTime before);

    /** Describes the schedule in words, without the zone: {@code "at high water in Hamburg"}. */
    String describe();
}
