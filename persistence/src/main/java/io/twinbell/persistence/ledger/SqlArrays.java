package io.twinbell.persistence.ledger;

import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import org.postgresql.PGConnection;

/**
 * Converts a list of values to the parallel arrays that one statement unnests, so that a batch of any size takes one
 * round trip.
 */
public final class SqlArrays {
    private static final String UNIQUE_VIOLATION = "23505";

    private SqlArrays() {}

    /** Whether a statement failed, and changed nothing, because one of its new rows exists already. */
    public static boolean isDuplicateKey(SQLException e) {
        return UNIQUE_VIOLATION.equals(e.getSQLState());
    }

    public static <T> Array longs(Connection c, List<T> rows, ToLongFunction<T> column) throws SQLException {
        return longs(c, rows.stream().mapToLong(column).toArray());
    }

    /** The driver accepts an array of primitives, but JDBC's own method does not. */
    public static Array longs(Connection c, long[] values) throws SQLException {
        return c.unwrap(PGConnection.class).createArrayOf("bigint", values);
    }

    public static <T> Array texts(Connection c, List<T> rows, Function<T, String> column) throws SQLException {
        return c.createArrayOf("text", rows.stream().map(column).toArray(String[]::new));
    }

    public static <T> Array booleans(Connection c, List<T> rows, Predicate<T> column) throws SQLException {
        return c.createArrayOf("boolean", rows.stream().map(column::test).toArray());
    }

    /** Converts an array to a list; null gives an empty list. */
    public static List<String> texts(Array array) throws SQLException {
        return array == null ? List.of() : List.of((String[]) array.getArray());
    }

    /** Reads rows whose first two columns are the task id and the fire time in milliseconds. */
    public static Set<Slot> slots(PreparedStatement query) throws SQLException {
        Set<Slot> slots = new HashSet<>();
        try (ResultSet rows = query.executeQuery()) {
            while (rows.next()) {
                slots.add(new Slot(rows.getLong(1), rows.getLong(2)));
            }
        }
        return slots;
    }

    /** Replaces zero characters, which PostgreSQL's text type cannot hold but a handler's output may contain. */
    public static String storable(String text) {
        return text == null ? null : text.replace('\0', '\uFFFD');
    }
}
