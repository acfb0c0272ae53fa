/**
 * The iCalendar parser (RFC 5545): lines, dates, time zones and recurrence rules. All work is bounded, and unsupported
 * content is refused with its line.
 */
package io.twinbell.node.calendar.ical;
