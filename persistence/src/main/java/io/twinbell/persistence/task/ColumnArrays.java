package io.twinbell.persistence.task;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.function.Predicate;

/** Binds one array per column for many rows, starting at the first parameter, so that one statement writes all rows. */
final class ColumnArrays<T> {
    private final Connection connection;
    private final PreparedStatement statement;
    private final List<T> rows;
    private int parameter = 1;

    ColumnArrays(Connection connection, PreparedStatement statement, List<T> rows) {
        this.connection = connection;
        this.statement = statement;
        this.rows = rows;
    }

    void text(Function<T, String> value) throws SQLException {
        bind("text", rows.stream().map(value).toArray(String[]::new));
    }

    /** PostgreSQL has no array of arrays of unequal length, so each array is sent as text. */
    void array(Function<T, List<String>> value) throws SQLException {
        String[] literals = new String[rows.size()];
        for (int i = 0; i < literals.length; i++) {
            List<String> texts = value.apply(rows.get(i));
            literals[i] = texts.isEmpty()
                    ? "{}"
                    : connection.createArrayOf("text", texts.toArray()).toString();
        }
        bind("text", literals);
    }

    void id(Function<T, Long> value) throws SQLException {
        bind("bigint", rows.stream().map(value).toArray(Long[]::new));
    }

    void number(Function<T, OptionalLong> value) throws SQLException {
        bind("bigint", rows.stream().map(value).map(ColumnArrays::boxed).toArray(Long[]::new));
    }

    void flag(Predicate<T> value) throws SQLException {
        bind("boolean", rows.stream().map(value::test).toArray(Boolean[]::new));
    }

    private static Long boxed(OptionalLong value) {
        return value.isPresent() ? Long.valueOf(value.getAsLong()) : null;
    }

    /** The driver sends an array of the exact type in binary form, and an array of objects as text. */
    private void bind(String type, Object[] values) throws SQLException {
        statement.setArray(parameter++, connection.createArrayOf(type, values));
    }
}
