/**
 * The iCalendar reader (RFC 5545) of calendars: lines, dates, time zones and the occurrences of events. All work is
 * bounded, and what cannot be read is refused with its line.
 */
package io.twinbell.node.calendar.ical;
