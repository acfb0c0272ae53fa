/**
 * Recurrence rules of iCalendar (RFC 5545, 3.3.10): the parser, and the local times of a rule, without a zone. Schedules
 * and calendars use both.
 */
package io.twinbell.node.schedule.recurrence;
