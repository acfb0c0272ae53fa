/**
 * Business calendars: parsed from JSON or iCalendar files, cached in memory, and edited. An edit recomputes the tasks
 * that respect the calendar.
 */
package io.twinbell.node.calendar;
