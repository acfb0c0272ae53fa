package io.twinbell.persistence.database;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Runs a query and makes a value of each row that it returns. */
public final class Rows {
    private Rows() {}

    /** Makes a value of the current row. */
    @FunctionalInterface
    public interface Reader<T> {
        T read(ResultSet row) throws SQLException;
    }

    public static <T> List<T> all(PreparedStatement query, Reader<T> reader) throws SQLException {
        List<T> values = new ArrayList<>();
        try (ResultSet rows = query.executeQuery()) {
            while (rows.next()) {
                values.add(reader.read(rows));
            }
        }
        return values;
    }

    public static <T> Set<T> set(PreparedStatement query, Reader<T> reader) throws SQLException {
        return new HashSet<>(all(query, reader));
    }

    /** The first row; empty if there is none. */
    public static <T> Optional<T> first(PreparedStatement query, Reader<T> reader) throws SQLException {
        try (ResultSet row = query.executeQuery()) {
            return row.next() ? Optional.of(reader.read(row)) : Optional.empty();
        }
    }

    /** The first row of a query that always returns one. */
    public static <T> T only(PreparedStatement query, Reader<T> reader) throws SQLException {
        try (ResultSet row = query.executeQuery()) {
            row.next();
            return reader.read(row);
        }
    }

    /** Whether the query returns a row. */
    public static boolean isAny(PreparedStatement query) throws SQLException {
        try (ResultSet row = query.executeQuery()) {
            return row.next();
        }
    }
}
