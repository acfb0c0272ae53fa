package io.twinbell.persistence.ledger;

import io.twinbell.persistence.database.DedicatedConnection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Reads the due index, and definitions by id. */
public final class JdbcDueTasks implements DueTasks {
    private static final String ACTIVE = """
            select twinbell.millis(next_fire_time), task_id, priority from twinbell.task_state
            where state = 'ACTIVE' and next_fire_time is not null and
            """;

    private static final String READ = """
            select t.id, s.version, t.app, t.name, t.definition,
                   case when s.state = 'ACTIVE' then twinbell.millis(s.next_fire_time) end, s.off_schedule, s.priority, t.tags
            from twinbell.task t join twinbell.task_state s on s.task_id = any(array[t.id])
            where t.id = any(?::bigint[])""";

    private final DedicatedConnection connection;

    public JdbcDueTasks(DedicatedConnection connection) {
        this.connection = connection;
    }

    @Override
    public HeapPage page(long afterFireMillis, long afterTaskId, int limit) {
        return connection.run(c -> {
            try (PreparedStatement statement = c.prepareStatement(
                    ACTIVE
                            + " (next_fire_time, task_id) > (twinbell.instant(?), ?) order by next_fire_time, task_id limit ?")) {
                statement.setLong(1, afterFireMillis);
                statement.setLong(2, afterTaskId);
                statement.setInt(3, limit);
                return readPage(statement, limit);
            }
        });
    }

    @Override
    public HeapPage overdue(long byMillis, int limit) {
        return connection.run(c -> {
            try (PreparedStatement statement = c.prepareStatement(
                    ACTIVE + " next_fire_time <= statement_timestamp() - ? * interval '1 millisecond'"
                            + " order by next_fire_time, task_id limit ?")) {
                statement.setLong(1, byMillis);
                statement.setInt(2, limit);
                return readPage(statement, limit);
            }
        });
    }

    private static HeapPage readPage(PreparedStatement statement, int limit) throws SQLException {
        long[] times = new long[limit];
        long[] ids = new long[limit];
        byte[] priorities = new byte[limit];
        int size = 0;
        try (ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
                times[size] = rows.getLong(1);
                ids[size] = rows.getLong(2);
                priorities[size++] = rows.getByte(3);
            }
        }
        return new HeapPage(Arrays.copyOf(times, size), Arrays.copyOf(ids, size), Arrays.copyOf(priorities, size));
    }

    @Override
    public List<DueTask> read(long[] taskIds) {
        return connection.run(c -> {
            try (PreparedStatement statement = c.prepareStatement(READ)) {
                statement.setArray(1, Rows.longs(c, taskIds));
                List<DueTask> tasks = new ArrayList<>();
                try (ResultSet rows = statement.executeQuery()) {
                    while (rows.next()) {
                        long next = rows.getLong(6);
                        boolean isWaiting = rows.wasNull();
                        tasks.add(new DueTask(
                                rows.getLong(1),
                                rows.getLong(2),
                                rows.getString(3),
                                rows.getString(4),
                                rows.getString(5),
                                isWaiting ? Long.MAX_VALUE : next,
                                rows.getBoolean(7),
                                rows.getByte(8),
                                Rows.texts(rows.getArray(9))));
                    }
                }
                return tasks;
            }
        });
    }
}
