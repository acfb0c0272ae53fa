package io.twinbell.persistence.calendar;

import io.twinbell.persistence.database.DedicatedConnection;
import java.util.Map;

/** Reads calendars on a dedicated connection. */
public final class DedicatedCalendarSource implements CalendarSource {
    private final DedicatedConnection connection;

    public DedicatedCalendarSource(DedicatedConnection connection) {
        this.connection = connection;
    }

    @Override
    public Changes changedSince(Map<String, Long> known) {
        return connection.run(c -> CalendarRows.changedSince(c, known));
    }
}
