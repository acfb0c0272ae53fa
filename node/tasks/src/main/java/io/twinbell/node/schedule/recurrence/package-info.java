/**
 * Recurrence rules of iCalendar (RFC 5545, 3.3.10): the parser, which calendars use too, and the local times of a rule,
 * without a zone.
 */
package io.twinbell.node.schedule.recurrence;
