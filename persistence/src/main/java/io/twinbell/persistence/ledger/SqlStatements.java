package io.twinbell.persistence.ledger;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;

/** Runs a task's statements one after another; the output is how many rows each changed or returned. */
public record SqlStatements(List<SqlStatement> statements) implements TransactionWork {
    private static final int FETCH = 1000;

    @Override
    public String with(Connection connection) throws SQLException {
        List<Long> counts = new ArrayList<>();
        for (SqlStatement statement : statements) {
            counts.add(run(connection, statement));
        }
        return "{\"rows\":" + (counts.size() == 1 ? counts.get(0).toString() : counts.toString()) + "}";
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
