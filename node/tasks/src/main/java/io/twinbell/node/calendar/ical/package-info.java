/**
 * The iCalendar parser (RFC 5545): lines, dates, time zones and the occurrences of events. All work is bounded, and
 * unsupported content is refused with its line.
 */
package io.twinbell.node.calendar.ical;
