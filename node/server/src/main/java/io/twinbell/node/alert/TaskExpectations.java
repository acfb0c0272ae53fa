package io.twinbell.node.alert;

import io.twinbell.node.alert.store.AlertSelection;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.Set;

/**
 * What an alert expects of its tasks. Each member belongs to one event type, and is null if the alert is not set for it.
 *
 * @param tasks the tasks that are watched
 * @param noSuccessFor the longest time without a success
 * @param noSuccessBy the time of the day by which a task must have succeeded
 * @param runningFor the longest time that an execution runs
 * @param startedLaterThan the longest time from the fire time to the start
 * @param noPingFor the longest time without a ping
 */
record TaskExpectations(
        AlertSelection.TaskCondition tasks,
        Duration noSuccessFor,
        Deadline noSuccessBy,
        Duration runningFor,
        Duration startedLaterThan,
        Duration noPingFor) {
    private static final int DAYS_OF_A_WEEK = 7;

    /**
     * A time of the day on certain days.
     *
     * @param within a success counts if it is at most this long before the deadline
     */
    record Deadline(LocalTime time, ZoneId zone, Set<DayOfWeek> days, Duration within) {
        /** The latest deadline up to {@code nowMillis}, in milliseconds since 1970 UTC. */
        long latest(long nowMillis) {
            LocalDate today = Instant.ofEpochMilli(nowMillis).atZone(zone).toLocalDate();
            for (int back = 0; back <= DAYS_OF_A_WEEK; back++) {
                LocalDate day = today.minusDays(back);
                // A deadline inside a clock gap moves later by the length of the gap.
                long deadline = day.atTime(time).atZone(zone).toInstant().toEpochMilli();
                if (days.contains(day.getDayOfWeek()) && deadline <= nowMillis) {
                    return deadline;
                }
            }
            throw new IllegalStateException("a deadline needs a day of the week");
        }
    }
}
