package io.twinbell.persistence.ledger;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Runs a task's statements one after another; the output is how many rows each changed or returned.
 *
 * @param limits the time is that for all of them; none of them can give itself more
 */
public record SqlStatements(List<SqlStatement> statements, CompletingTransaction.Limits limits)
        implements TransactionWork {
    private static final int FETCH = 1000;
    private static final String TAKEN = "select pg_catalog.floor(pg_catalog.date_part('epoch',"
            + " pg_catalog.clock_timestamp() - pg_catalog.now()) * 1000)::pg_catalog.int8";

    @Override
    public String with(Connection connection) throws SQLException {
        List<Long> counts = new ArrayList<>();
        for (SqlStatement statement : statements) {
            if (!counts.isEmpty()) {
                limitAgain(connection);
            }
            counts.add(run(connection, statement));
        }
        return "{\"rows\":" + (counts.size() == 1 ? counts.get(0).toString() : counts.toString()) + "}";
    }

    /** The statement before may have set its own limits and search path for the session. */
    private void limitAgain(Connection connection) throws SQLException {
        RestrictedRights.limit(connection, limits);
        long taken;
        try (PreparedStatement statement = connection.prepareStatement(TAKEN)) {
            taken = Long.parseLong(OwnerRights.first(statement));
        }
        Duration left = limits.statement().minusMillis(taken);
        if (left.isNegative() || left.isZero()) {
            throw new SQLException("the statements have taken longer than " + limits.statement() + " together");
        }
        RestrictedRights.limit(connection, new CompletingTransaction.Limits(left, limits.idle()));
    }

    private static long run(Connection connection, SqlStatement statement) throws SQLException {
        try (PreparedStatement prepared = connection.prepareStatement(statement.text())) {
            prepared.setFetchSize(FETCH);
            int index = 1;
            for (String parameter : statement.parameters()) {
                // Without a type of its own, a text takes the type that its place asks for.
                prepared.setObject(index++, parameter, Types.OTHER);
            }
            return prepared.execute() ? count(prepared) : prepared.getLargeUpdateCount();
        }
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
}
