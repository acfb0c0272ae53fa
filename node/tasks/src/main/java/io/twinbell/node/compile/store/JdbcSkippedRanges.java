package io.twinbell.node.compile.store;

import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.task.PassedSlots;
import io.twinbell.persistence.task.TaskName;
import io.twinbell.persistence.task.TaskWrites;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/** Settles skipped ranges in PostgreSQL. */
public final class JdbcSkippedRanges implements SkippedRanges {
    private static final String OVER = """
            select id, task_id, app, name, definition, twinbell.millis(after_time), twinbell.millis(until_time)
            from twinbell.leap where until_time <= statement_timestamp()
            order by until_time, id limit ? for update skip locked""";

    private static final String REMOVE = "delete from twinbell.leap where id = any(?)";

    private final DedicatedConnection connection;

    public JdbcSkippedRanges(DedicatedConnection connection) {
        this.connection = connection;
    }

    @Override
    public int settle(int limit, Function<SkippedRange, Optional<PassedSlots>> slots) {
        return connection.transaction(c -> {
            Map<Long, SkippedRange> over = over(c, limit);
            TaskWrites writes = new TaskWrites();
            over.values().forEach(range -> writes.bindPassedSlots(range.taskId(), range.name(), slots.apply(range)));
            writes.perform(c);
            remove(c, over.keySet());
            return over.size();
        });
    }

    /** The ranges whose time has passed, by their ids. */
    private static Map<Long, SkippedRange> over(Connection c, int limit) throws SQLException {
        try (PreparedStatement statement = c.prepareStatement(OVER)) {
            statement.setInt(1, limit);
            Map<Long, SkippedRange> over = new LinkedHashMap<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    SkippedRange range = new SkippedRange(
                            rows.getLong(2),
                            new TaskName(rows.getString(3), rows.getString(4)),
                            rows.getString(5),
                            rows.getLong(6),
                            rows.getLong(7));
                    over.put(rows.getLong(1), range);
                }
            }
            return over;
        }
    }

    private static void remove(Connection c, Set<Long> ids) throws SQLException {
        if (ids.isEmpty()) {
            return;
        }
        try (PreparedStatement statement = c.prepareStatement(REMOVE)) {
            statement.setArray(1, c.createArrayOf("bigint", ids.toArray()));
            statement.executeUpdate();
        }
    }
}
