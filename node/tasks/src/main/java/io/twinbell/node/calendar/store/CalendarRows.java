package io.twinbell.node.calendar.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Reads calendars on a given connection. */
final class CalendarRows {
    private static final String CHANGED = """
            select c.name, c.version, case when k.version is distinct from c.version then c.content end
            from twinbell.calendar c left join unnest(?::text[], ?::bigint[]) as k(name, version) on k.name = c.name""";

    private CalendarRows() {}

    static CalendarSource.Changes changedSince(Connection connection, Map<String, Long> known) throws SQLException {
        List<Map.Entry<String, Long>> entries = List.copyOf(known.entrySet());
        Set<String> gone = new HashSet<>(known.keySet());
        List<CalendarSource.Content> changed = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(CHANGED)) {
            statement.setArray(
                    1,
                    connection.createArrayOf(
                            "text", entries.stream().map(Map.Entry::getKey).toArray()));
            statement.setArray(
                    2,
                    connection.createArrayOf(
                            "bigint", entries.stream().map(Map.Entry::getValue).toArray()));
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    gone.remove(rows.getString(1));
                    if (rows.getString(3) != null) {
                        changed.add(new CalendarSource.Content(rows.getString(1), rows.getLong(2), rows.getString(3)));
                    }
                }
            }
        }
        return new CalendarSource.Changes(changed, gone);
    }
}
