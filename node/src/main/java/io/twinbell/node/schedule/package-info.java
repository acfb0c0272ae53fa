/**
 * When a task runs. {@link io.twinbell.node.schedule.Schedules} reads the JSON form into a
 * {@link io.twinbell.node.schedule.Schedule}, which answers from then on without allocation, clock or I/O.
 *
 * <p>A cron expression goes this way: {@code CronText} cuts it into words, {@code CronReader} settles the dialect,
 * {@code FieldReader} reads the fields, {@code CalendarPattern} holds them as bit masks and walks the calendar, and
 * {@code ZonedPattern} turns wall-clock matches into instants, where clock changes are answered.
 */
package io.twinbell.node.schedule;
