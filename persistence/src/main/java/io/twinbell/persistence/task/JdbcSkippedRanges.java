package io.twinbell.persistence.task;

import io.twinbell.persistence.database.DedicatedConnection;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** Settles skipped ranges in PostgreSQL. */
public final class JdbcSkippedRanges implements SkippedRanges {
    private static final String TAKE = """
            with over as (
              select id from twinbell.leap where until_time <= clock_timestamp()
              order by until_time, id limit ? for update skip locked)
            delete from twinbell.leap l using over where l.id = over.id
            returning l.task_id, l.app, l.name, l.definition, twinbell.millis(l.after_time), twinbell.millis(l.until_time)""";

    private final DedicatedConnection connection;

    public JdbcSkippedRanges(DedicatedConnection connection) {
        this.connection = connection;
    }

    @Override
    public int settle(int limit, Function<SkippedRange, Optional<PassedSlots>> slots) {
        return connection.transaction(c -> {
            List<SkippedRange> leaps = take(c, limit);
            TaskWrites writes = new TaskWrites();
            leaps.forEach(skippedRange ->
                    writes.bindPassedSlots(skippedRange.taskId(), skippedRange.name(), slots.apply(skippedRange)));
            writes.perform(c);
            return leaps.size();
        });
    }

    private static List<SkippedRange> take(Connection c, int limit) throws SQLException {
        try (PreparedStatement statement = c.prepareStatement(TAKE)) {
            statement.setInt(1, limit);
            List<SkippedRange> leaps = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    leaps.add(new SkippedRange(
                            rows.getLong(1),
                            new TaskName(rows.getString(2), rows.getString(3)),
                            rows.getString(4),
                            rows.getLong(5),
                            rows.getLong(6)));
                }
            }
            return leaps;
        }
    }
}
