package io.twinbell.node.calendar.store;

import io.twinbell.node.defaults.store.StoredDefaults;
import io.twinbell.node.defaults.store.TaskDefaultsStore;
import io.twinbell.persistence.database.DedicatedConnection;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Reads calendars and defaults on a dedicated connection. */
public final class DedicatedCalendarSource implements CalendarSource {
    private final DedicatedConnection connection;

    public DedicatedCalendarSource(DedicatedConnection connection) {
        this.connection = connection;
    }

    @Override
    public Changes changedSince(Map<String, Long> known) {
        return connection.run(c -> CalendarStore.changedSince(c, known));
    }

    @Override
    public Optional<List<StoredDefaults>> defaultsChangedSince(long version) {
        return connection.run(c -> TaskDefaultsStore.changedSince(c, version));
    }
}
