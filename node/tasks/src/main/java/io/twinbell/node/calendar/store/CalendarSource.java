package io.twinbell.node.calendar.store;

import io.twinbell.node.defaults.store.StoredDefaults;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Reads calendars, and the defaults of tasks, for caches in memory. */
@FunctionalInterface
public interface CalendarSource {
    /**
     * The differences from the known calendars.
     *
     * @param known the version of each calendar, by name
     * @throws io.twinbell.persistence.database.DatabaseUnavailableException if the database does not answer
     */
    Changes changedSince(Map<String, Long> known);

    /**
     * All defaults, with empty content for removed ones; empty if the version is still the greatest one.
     *
     * @param version the greatest known version; 0 for none
     * @throws io.twinbell.persistence.database.DatabaseUnavailableException if the database does not answer
     */
    default Optional<List<StoredDefaults>> defaultsChangedSince(long version) {
        return Optional.empty();
    }

    /** New or changed calendars, and the names of removed ones. */
    record Changes(List<Content> changed, Set<String> gone) {}

    /** One calendar's content as JSON text. */
    record Content(String name, long version, String json) {}
}
