package io.twinbell.node.handler.store;

import io.twinbell.persistence.database.Transactions;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.epoch.EpochGuard;
import io.twinbell.persistence.ledger.PackedSlots;
import io.twinbell.persistence.ledger.Slot;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import javax.sql.DataSource;

/**
 * Keeps checkpoints in PostgreSQL. It uses the connections of handlers, so
 * that nothing of the scheduler waits behind it. Thread-safe.
 */
final class JdbcCheckpoints implements Checkpoints {
    private static final String SETTINGS = """
            select set_config('role', 'none', true), set_config('search_path', '', true),
                   set_config('statement_timeout', '3000', true), set_config('lock_timeout', '3000', true)""";
    private static final String SAVE = "with " + EpochGuard.ALSO_WHILE_DRAINING + """
            update twinbell.execution e set checkpoint = ?
            where e.task_id = ? and e.fire_time = twinbell.instant(?) and e.attempt = ? and e.epoch = ?
              and e.state in ('CLAIMED', 'RUNNING') and exists (select 1 from authority)""";
    private static final String READ =
            "select checkpoint from twinbell.execution where task_id = ? and fire_time = twinbell.instant(?)";

    private final Transactions transactions;

    JdbcCheckpoints(DataSource pool) {
        transactions = new Transactions(pool);
    }

    @Override
    public boolean save(Epoch epoch, Slot slot, int attempt, String json) {
        return transactions.run("save a checkpoint", connection -> {
            OwnerRights.execute(connection, OwnerRights.PINNED);
            OwnerRights.execute(connection, SETTINGS);
            // Before the guard: its lock must not be held while another transaction unpacks the same batch.
            PackedSlots.unpackBatchesOf(connection, new long[] {slot.taskId()});
            return update(connection, epoch, slot, attempt, json);
        });
    }

    private static boolean update(Connection connection, Epoch epoch, Slot slot, int attempt, String json)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(SAVE)) {
            int next = EpochGuard.bind(statement, 1, epoch);
            statement.setString(next++, json);
            statement.setLong(next++, slot.taskId());
            statement.setLong(next++, slot.fireTimeMillis());
            statement.setInt(next++, attempt);
            statement.setLong(next, epoch.number());
            return statement.executeUpdate() == 1;
        }
    }

    @Override
    public String read(Slot slot) {
        return transactions.run("read a checkpoint", connection -> {
            OwnerRights.execute(connection, SETTINGS);
            try (PreparedStatement statement = connection.prepareStatement(READ)) {
                statement.setLong(1, slot.taskId());
                statement.setLong(2, slot.fireTimeMillis());
                try (ResultSet row = statement.executeQuery()) {
                    return row.next() ? row.getString(1) : null;
                }
            }
        });
    }
}
