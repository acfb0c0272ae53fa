package io.twinbell.persistence.ledger;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.ToLongFunction;
import org.postgresql.PGConnection;

/**
 * Binds a list of rows as parallel arrays, one for each column, that one statement unnests. So a batch of any size
 * takes one round trip.
 */
public final class ColumnArrays<T> {
    private final PreparedStatement statement;
    private final List<T> rows;
    private int next;

    /** @param first the index of the parameter that gets the first array */
    public ColumnArrays(PreparedStatement statement, int first, List<T> rows) {
        this.statement = statement;
        this.rows = rows;
        next = first;
    }

    /** Binds two arrays: task ids and fire times. */
    public ColumnArrays<T> slots(Function<T, Slot> slot) throws SQLException {
        return longs(row -> slot.apply(row).taskId())
                .longs(row -> slot.apply(row).fireTimeMillis());
    }

    public ColumnArrays<T> longs(ToLongFunction<T> column) throws SQLException {
        bind(statement, next++, rows.stream().mapToLong(column).toArray());
        return this;
    }

    /** Binds one array. The driver accepts an array of primitives, but JDBC's own method does not. */
    public static void bind(PreparedStatement statement, int parameter, long[] values) throws SQLException {
        PGConnection driver = statement.getConnection().unwrap(PGConnection.class);
        statement.setArray(parameter, driver.createArrayOf("bigint", values));
    }

    public ColumnArrays<T> optionalLongs(Function<T, OptionalLong> column) throws SQLException {
        return bind("bigint", rows.stream().map(column).map(ColumnArrays::boxed).toArray(Long[]::new));
    }

    private static Long boxed(OptionalLong value) {
        return value.isPresent() ? Long.valueOf(value.getAsLong()) : null;
    }

    public ColumnArrays<T> doubles(Function<T, OptionalDouble> column) throws SQLException {
        return bind(
                "float8",
                rows.stream()
                        .map(column)
                        .map(value -> value.isPresent() ? (Object) value.getAsDouble() : null)
                        .toArray());
    }

    public ColumnArrays<T> texts(Function<T, String> column) throws SQLException {
        return bind("text", rows.stream().map(column).toArray(String[]::new));
    }

    /** Binds texts that handlers have made, as {@link #storable} texts. */
    public ColumnArrays<T> handlerTexts(Function<T, String> column) throws SQLException {
        return texts(row -> storable(column.apply(row)));
    }

    /** Replaces zero characters, which PostgreSQL's text type cannot hold but a handler's output may contain. */
    public static String storable(String text) {
        return text == null ? null : text.replace('\0', '\uFFFD');
    }

    /** PostgreSQL has no array of arrays of unequal length, so each array is sent as text. */
    public ColumnArrays<T> lists(Function<T, List<String>> column) throws SQLException {
        String[] literals = new String[rows.size()];
        for (int i = 0; i < literals.length; i++) {
            List<String> texts = column.apply(rows.get(i));
            literals[i] = texts.isEmpty()
                    ? "{}"
                    : statement
                            .getConnection()
                            .createArrayOf("text", texts.toArray())
                            .toString();
        }
        return bind("text", literals);
    }

    public ColumnArrays<T> booleans(Predicate<T> column) throws SQLException {
        return bind("boolean", rows.stream().map(column::test).toArray(Boolean[]::new));
    }

    /** The driver sends an array of the exact type in binary form, and an array of objects as text. */
    private ColumnArrays<T> bind(String type, Object[] values) throws SQLException {
        statement.setArray(next++, statement.getConnection().createArrayOf(type, values));
        return this;
    }

    /** The index of the parameter after the arrays. */
    public int next() {
        return next;
    }
}
