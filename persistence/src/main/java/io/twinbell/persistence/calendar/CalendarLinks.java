package io.twinbell.persistence.calendar;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Collects the links between tasks and their calendars, and writes those of many tasks together. */
public final class CalendarLinks {
    private static final String FOREIGN_KEY_VIOLATION = "23503";
    private static final String FORGET = """
            delete from twinbell.task_calendar c where c.task_id = any(?::bigint[])
              and not exists (select 1 from unnest(?::bigint[], ?::text[]) as g(task_id, calendar)
                where g.task_id = c.task_id and g.calendar = c.calendar)""";
    private static final String LINK = """
            insert into twinbell.task_calendar (task_id, calendar, version)
            select * from unnest(?::bigint[], ?::text[], ?::bigint[]) as g(task_id, calendar, version)
            order by calendar, task_id
            on conflict (task_id, calendar) do update set version = excluded.version""";

    private final List<Long> linked = new ArrayList<>();
    private final List<Long> ids = new ArrayList<>();
    private final List<String> calendars = new ArrayList<>();
    private final List<Long> versions = new ArrayList<>();

    /** Replaces the calendars of a task by these. */
    public void add(long taskId, Map<String, Long> versionByCalendar) {
        linked.add(taskId);
        versionByCalendar.forEach((calendar, version) -> {
            ids.add(taskId);
            calendars.add(calendar);
            versions.add(version);
        });
    }

    /** @throws UnknownCalendarException if one of the calendars does not exist */
    public void write(Connection connection) throws SQLException {
        if (!linked.isEmpty()) {
            try (PreparedStatement statement = connection.prepareStatement(FORGET)) {
                statement.setArray(1, connection.createArrayOf("bigint", linked.toArray()));
                bindPairs(connection, statement, 2);
                statement.executeUpdate();
            }
        }
        if (!ids.isEmpty()) {
            link(connection);
        }
    }

    private void link(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(LINK)) {
            bindPairs(connection, statement, 1);
            statement.setArray(3, connection.createArrayOf("bigint", versions.toArray()));
            statement.executeUpdate();
        } catch (SQLException e) {
            if (FOREIGN_KEY_VIOLATION.equals(e.getSQLState())) {
                throw new UnknownCalendarException();
            }
            throw e;
        }
    }

    private void bindPairs(Connection connection, PreparedStatement statement, int index) throws SQLException {
        statement.setArray(index, connection.createArrayOf("bigint", ids.toArray()));
        statement.setArray(index + 1, connection.createArrayOf("text", calendars.toArray()));
    }
}
