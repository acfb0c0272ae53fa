package io.twinbell.persistence.ledger.query;

import io.twinbell.persistence.database.Transactions;
import io.twinbell.persistence.ledger.Slot;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/**
 * Reads ledger changes in the order of their transactions, up to the oldest transaction that is still open according to
 * PostgreSQL's snapshot.
 */
public final class JdbcLedgerChanges implements LedgerChanges {
    private static final String HORIZON = "pg_snapshot_xmin(pg_current_snapshot())";

    /** One statement reads the horizon and the rows, so both come from one snapshot. */
    private static final String READ =
            "select " + JdbcExecutionQueries.BRIEF_COLUMNS + ", changed::text::bigint as transaction"
                    + " from twinbell.execution where changed >= ?::text::xid8 and changed < " + HORIZON
                    + " and (changed, task_id, fire_time) > (?::text::xid8, ?, twinbell.instant(?))"
                    + " order by changed, task_id, fire_time limit ?";

    private final Transactions transactions;

    public JdbcLedgerChanges(DataSource pool) {
        transactions = new Transactions(pool);
    }

    @Override
    public Position now() {
        return transactions.run("read the order of changes", connection -> Position.before(horizon(connection)));
    }

    private static long horizon(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("select " + HORIZON + "::text::bigint");
                ResultSet row = statement.executeQuery()) {
            row.next();
            return row.getLong(1);
        }
    }

    @Override
    public Page read(Position after, int limit) {
        return transactions.run("read changes", connection -> {
            // Read before the rows: every later statement sees at least the transactions that had ended here.
            long horizon = horizon(connection);
            if (after.transaction() > horizon) {
                return new Page(List.of(), Position.before(horizon), false);
            }
            List<Change> changes = read(connection, after, limit);
            return new Page(changes, reached(changes, limit, horizon), true);
        });
    }

    private static Position reached(List<Change> changes, int limit, long horizon) {
        Position last =
                changes.isEmpty() ? null : changes.get(changes.size() - 1).position();
        boolean isAhead = last != null && last.transaction() >= horizon;
        return isAhead || changes.size() == limit ? last : Position.before(horizon);
    }

    private static List<Change> read(Connection connection, Position after, int limit) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(READ)) {
            statement.setString(1, Long.toString(after.transaction()));
            statement.setString(2, Long.toString(after.transaction()));
            statement.setLong(3, after.slot().taskId());
            statement.setLong(4, after.slot().fireTimeMillis());
            statement.setInt(5, limit);
            List<Change> changes = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    Execution execution = JdbcExecutionQueries.read(rows);
                    Slot slot = new Slot(
                            execution.slots().taskId(), execution.slots().fireMillis());
                    changes.add(new Change(new Position(rows.getLong("transaction"), slot), execution));
                }
            }
            return changes;
        }
    }
}
