package io.twinbell.node.calendar.store;

/**
 * A stored calendar.
 *
 * @param version grows with each change of the content
 * @param content JSON text that this module does not read
 * @param source the text that the content was converted from, if it was not JSON; otherwise null
 * @param updatedAtMillis milliseconds since 1970 UTC
 */
public record StoredCalendar(
        String name, long version, String content, String source, long createdAtMillis, long updatedAtMillis) {}
