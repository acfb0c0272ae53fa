package io.twinbell.persistence.testing;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.twinbell.persistence.task.DefinitionParts;
import io.twinbell.persistence.task.NewTask;
import io.twinbell.persistence.task.TaskContent;
import io.twinbell.persistence.task.TaskProgress;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import javax.sql.DataSource;

/** Puts tasks into the tables and reads the ledger back, without the code under test; makes tasks for stores. */
public final class TestTasks {
    private final DataSource database;

    public TestTasks(DataSource database) {
        this.database = database;
    }

    /** A task with a definition of its own. */
    public static NewTask newTask(TaskContent content, TaskProgress progress, int priority) {
        DefinitionParts whole =
                new DefinitionParts(content.definition(), null, OptionalLong.empty(), OptionalLong.empty());
        return new NewTask(content, progress, priority, Map.of(), whole);
    }

    /** An ACTIVE task; returns its id. */
    public long insert(String name, String definition, long nextFireMillis) {
        String sql = """
                with t as (
                  insert into twinbell.full_task (app, name, handler_type, definition) values ('test', ?, 'log', ?::jsonb)
                  returning id, definition)
                insert into twinbell.task_state (task_id, next_fire_time, priority)
                select id, twinbell.instant(?), twinbell.priority(definition) from t
                returning task_id""";
        return number(sql, name, definition, nextFireMillis);
    }

    /** Tasks {@code t0}, {@code t1}, ..., each due a millisecond after the one before; their ids in this order. */
    public List<Long> insertSeries(int count, String definition, long firstFireMillis) {
        String sql = """
                with t as (
                  insert into twinbell.full_task (app, name, handler_type, definition)
                  select 'test', 't' || i, 'log', ?::jsonb from generate_series(0, ? - 1) i order by i
                  returning id, name, definition)
                insert into twinbell.task_state (task_id, next_fire_time, priority)
                select id, twinbell.instant(? + substr(name, 2)::bigint), twinbell.priority(definition) from t
                returning task_id""";
        return query(sql, definition, count, firstFireMillis).stream()
                .map(Long::valueOf)
                .sorted()
                .toList();
    }

    /** The first column of the first row. */
    public long number(String sql, Object... parameters) {
        return Long.parseLong(row(sql, parameters));
    }

    /** The first row. */
    public String row(String sql, Object... parameters) {
        return query(sql, parameters).get(0);
    }

    /** Every row, its columns joined by {@code |}; a missing value is empty. */
    public List<String> query(String sql, Object... parameters) {
        try {
            return KeptSessions.with(database, session -> rows(session, sql, parameters));
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    /** The statement has exactly these rows, in this order. */
    public void assertRows(String sql, String... expected) {
        assertEquals(List.of(expected), query(sql), sql);
    }

    private static List<String> rows(Connection session, String sql, Object... parameters) throws SQLException {
        try (PreparedStatement statement = session.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setObject(i + 1, parameters[i]);
            }
            try (ResultSet rows = statement.executeQuery()) {
                List<String> lines = new ArrayList<>();
                int columns = rows.getMetaData().getColumnCount();
                while (rows.next()) {
                    List<String> values = new ArrayList<>();
                    for (int column = 1; column <= columns; column++) {
                        String value = rows.getString(column);
                        values.add(value == null ? "" : value);
                    }
                    lines.add(String.join("|", values));
                }
                return lines;
            }
        }
    }

    public void execute(String sql) {
        TestPostgres.execute(database, sql);
    }
}
