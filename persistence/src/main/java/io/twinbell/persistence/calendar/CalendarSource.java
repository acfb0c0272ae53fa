package io.twinbell.persistence.calendar;

import java.util.List;
import java.util.Map;
import java.util.Set;

/** Reads calendars for caches in memory. */
@FunctionalInterface
public interface CalendarSource {
    /**
     * The differences from the known calendars.
     *
     * @param known the version of each calendar, by name
     * @throws io.twinbell.persistence.database.DatabaseUnavailableException if the database does not answer
     */
    Changes changedSince(Map<String, Long> known);

    /** New or changed calendars, and the names of removed ones. */
    record Changes(List<Content> changed, Set<String> gone) {}

    /** One calendar's content as JSON text. */
    record Content(String name, long version, String json) {}
}
