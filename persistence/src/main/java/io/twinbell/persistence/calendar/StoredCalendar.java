package io.twinbell.persistence.calendar;

/**
 * A stored calendar.
 *
 * @param version another for each change of its content, and greater
 * @param content JSON text that this module does not read
 * @param source what it was read from if that was not JSON, else null
 * @param updatedAtMillis milliseconds since 1970 UTC
 */
public record StoredCalendar(
        String name, long version, String content, String source, long createdAtMillis, long updatedAtMillis) {}
