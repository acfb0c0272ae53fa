/**
 * The parts of iCalendar (RFC 5545) that say when something happens: lines, dates, zones and recurrence rules. All of it
 * is bounded, and what can't be honoured is refused with its line.
 */
package io.twinbell.node.calendar.ical;
