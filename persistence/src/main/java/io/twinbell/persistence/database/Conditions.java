package io.twinbell.persistence.database;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Builds a where clause from optional conditions. Values are always bound, never written into the text. */
public final class Conditions {
    private final List<String> clauses = new ArrayList<>();
    private final List<Object> values = new ArrayList<>();

    /** Adds {@code clause}, which has one {@code ?} for each of {@code bound}. */
    public Conditions and(String clause, Object... bound) {
        clauses.add(clause);
        values.addAll(List.of(bound));
        return this;
    }

    /** Adds {@code clause} with {@code value}, unless the value is null. */
    public Conditions andIfGiven(String clause, Object value) {
        return value == null ? this : and(clause, value);
    }

    /** The clause with its keyword, or an empty text if there are no conditions. */
    public String where() {
        return clauses.isEmpty() ? "" : " where " + String.join(" and ", clauses);
    }

    /** The values of the clause, in order, for a clause that becomes part of another one. */
    public Object[] values() {
        return values.toArray();
    }

    /** Binds the values from the first parameter on; returns the index of the next parameter. */
    public int bind(PreparedStatement statement) throws SQLException {
        int index = 1;
        for (Object value : values) {
            statement.setObject(index++, value);
        }
        return index;
    }
}
