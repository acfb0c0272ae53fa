/**
 * Calendars as people write them: read from JSON or an iCalendar file, kept in memory, and computed anew for the tasks
 * that respect one that has changed.
 */
package io.twinbell.node.calendar;
