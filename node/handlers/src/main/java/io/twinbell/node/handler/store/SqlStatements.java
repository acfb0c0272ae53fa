package io.twinbell.node.handler.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Runs an SQL task's statements one after another; the output is the number of rows that each changed or returned.
 *
 * @param limits the time limit applies to all statements together; no statement can extend it
 */
public record SqlStatements(List<SqlStatement> statements, CompletingTransaction.TimeLimits limits)
        implements TransactionWork {
    /**
     * A driver property that limits how much is read at once, because rows that nobody uses must not fill the node's
     * memory.
     */
    public static final Map.Entry<String, String> MOST_READ = Map.entry("maxResultBuffer", "8M");

    private static final int FETCH = 100;
    private static final String TOO_LARGE = "a statement returned more than 8 MB in at most " + FETCH + " rows,"
            + " which are discarded: return less, such as count(*), or nothing";
    private static final String TAKEN = """
            select pg_catalog.floor(pg_catalog.date_part('epoch',
              pg_catalog.clock_timestamp() - pg_catalog.now()) * 1000)::pg_catalog.int8""";

    @Override
    public String with(WorkTransaction transaction) throws SQLException {
        Connection connection = transaction.connection();
        List<Long> counts = new ArrayList<>();
        for (SqlStatement statement : statements) {
            if (!counts.isEmpty()) {
                limitAgain(connection);
            }
            counts.add(run(connection, statement));
        }
        return "{\"rows\":" + (counts.size() == 1 ? counts.get(0).toString() : counts.toString()) + "}";
    }

    /**
     * Sets the limits and the search path again, because the previous statement may have changed them for the session.
     */
    private void limitAgain(Connection connection) throws SQLException {
        RestrictedRights.limit(connection, limits);
        long taken;
        try (PreparedStatement statement = connection.prepareStatement(TAKEN)) {
            taken = Long.parseLong(OwnerRights.first(statement));
        }
        Duration left = limits.statement().minusMillis(taken);
        if (left.isNegative() || left.isZero()) {
            throw new SQLException("the statements together have taken longer than " + limits.statement());
        }
        RestrictedRights.limit(connection, new CompletingTransaction.TimeLimits(left, limits.idle()));
    }

    private static long run(Connection connection, SqlStatement statement) throws SQLException {
        try (PreparedStatement prepared = connection.prepareStatement(statement.text())) {
            prepared.setFetchSize(FETCH);
            int index = 1;
            for (String parameter : statement.parameters()) {
                // An untyped text takes the type that its parameter requires.
                prepared.setObject(index++, parameter, Types.OTHER);
            }
            return prepared.execute() ? count(prepared) : prepared.getLargeUpdateCount();
        } catch (SQLException e) {
            if (isTooLarge(e)) {
                throw new SQLException(TOO_LARGE, e.getSQLState(), e);
            }
            String refusal = BoundedErrors.refusal(e);
            if (refusal != null) {
                throw new SQLException("a statement was aborted because of " + refusal, e.getSQLState(), e);
            }
            throw e;
        }
    }

    private static boolean isTooLarge(SQLException e) {
        return e.getMessage() != null && e.getMessage().contains(MOST_READ.getKey());
    }

    private static long count(PreparedStatement prepared) throws SQLException {
        long count = 0;
        try (ResultSet rows = prepared.getResultSet()) {
            while (rows.next()) {
                count++;
            }
        }
        return count;
    }

    /**
     * One SQL statement of an SQL task.
     *
     * @param text with a question mark for each parameter
     * @param parameters the values as text, whatever the type of the parameter; an element may be null
     */
    public record SqlStatement(String text, List<String> parameters) {}
}
