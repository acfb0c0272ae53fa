/**
 * Schedules: computes when tasks fire. {@link io.twinbell.node.schedule.Schedules} parses the JSON form into a
 * {@link io.twinbell.node.engine.task.Schedule}, which then computes fire times without allocation, clock or I/O.
 *
 * <p>A cron expression passes through these classes: {@code CronText} splits it into words, {@code CronReader}
 * determines the dialect, {@code FieldReader} reads the fields, {@code CalendarPattern} holds them as bit masks and
 * searches the calendar, and {@code ZonedPattern} converts wall-clock matches into instants and handles clock changes.
 */
package io.twinbell.node.schedule;
