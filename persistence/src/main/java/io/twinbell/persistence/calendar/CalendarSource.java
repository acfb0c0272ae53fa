package io.twinbell.persistence.calendar;

import java.util.List;
import java.util.Map;
import java.util.Set;

/** Where calendars are read from by those who keep them in memory. */
@FunctionalInterface
public interface CalendarSource {
    /**
     * What differs from what is known.
     *
     * @param known the version of each calendar, by name
     * @throws io.twinbell.persistence.database.DatabaseUnavailableException if the database does not answer
     */
    Changes changedSince(Map<String, Long> known);

    /** Calendars that are new or changed, and names that are gone. */
    record Changes(List<Content> changed, Set<String> gone) {}

    /** One calendar's content as JSON text. */
    record Content(String name, long version, String json) {}
}
