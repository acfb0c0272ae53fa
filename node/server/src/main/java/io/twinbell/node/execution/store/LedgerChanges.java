package io.twinbell.node.execution.store;

import io.twinbell.persistence.database.Rows;
import io.twinbell.persistence.database.Transactions;
import io.twinbell.persistence.ledger.Slot;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import javax.sql.DataSource;

/**
 * The ledger's rows in the order in which they changed. A row that changes twice between two reads is read once, in its
 * latest state. All methods throw {@link io.twinbell.persistence.database.DatabaseUnavailableException} if the database
 * does not answer.
 */
public final class LedgerChanges {
    private static final String HORIZON = "pg_snapshot_xmin(pg_current_snapshot())";

    /** One statement reads the horizon and the rows, so both come from one snapshot. */
    private static final String READ = String.format(Locale.ROOT, """
            select %s, changed::text::bigint as transaction
            from twinbell.execution
            where changed >= ?::text::xid8 and changed < %s
              and (changed, task_id, fire_time) > (?::text::xid8, ?, twinbell.instant(?))
            order by changed, task_id, fire_time limit ?""", JdbcExecutionQueries.BRIEF_COLUMNS, HORIZON);

    private final Transactions transactions;

    /**
     * A position in the order of changes.
     *
     * @param transaction the database's number of the transaction that changed the row
     * @param slot the row within the transaction; {@link #START} precedes all its rows
     */
    public record Position(long transaction, Slot slot) {
        /** Precedes every row. */
        static final Slot START = new Slot(-1, 0);

        static Position before(long transaction) {
            return new Position(transaction, START);
        }
    }

    /** @param position the position after this change */
    public record Change(Position position, Execution execution) {}

    /**
     * A page of changes.
     *
     * @param reached the position to continue from
     * @param isKnown false if this database does not have the position; it may have been restored from a backup
     */
    public record Page(List<Change> changes, Position reached, boolean isKnown) {}

    public LedgerChanges(DataSource pool) {
        transactions = new Transactions(pool);
    }

    /** The position after everything that has been committed until now. */
    public Position now() {
        return transactions.run("read the order of changes", connection -> Position.before(horizon(connection)));
    }

    private static long horizon(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("select " + HORIZON + "::text::bigint")) {
            return Rows.only(statement, row -> row.getLong(1));
        }
    }

    /**
     * The next changes after a position, at most {@code limit}, without output and error. Changes of an open
     * transaction, and all changes made since it began, are left to a later read.
     */
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
            return Rows.all(statement, row -> {
                Execution execution = JdbcExecutionQueries.read(row);
                return new Change(new Position(row.getLong("transaction"), execution.slot()), execution);
            });
        }
    }
}
