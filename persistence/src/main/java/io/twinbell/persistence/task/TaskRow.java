package io.twinbell.persistence.task;

import io.twinbell.persistence.ledger.ClaimColumns;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.OptionalLong;

/** Reads one row of the store's select, whose columns have a fixed order. */
public final class TaskRow {
    private TaskRow() {}

    public static Task read(ResultSet row) throws SQLException {
        TaskContent content = new TaskContent(
                row.getString(3),
                row.getString(4),
                row.getString(5),
                ClaimColumns.texts(row.getArray(6)),
                row.getString(7),
                row.getString(8),
                row.getString(9));
        TaskProgress progress = new TaskProgress(
                TaskState.valueOf(row.getString(10)),
                row.getString(11),
                optional(row, 12),
                optional(row, 13),
                new TaskPause(row.getString(16), optional(row, 17)),
                row.getLong(18),
                row.getBoolean(19));
        return new Task(row.getLong(1), row.getLong(2), content, progress, row.getLong(14), row.getLong(15));
    }

    public static OptionalLong optional(ResultSet row, int column) throws SQLException {
        long value = row.getLong(column);
        return row.wasNull() ? OptionalLong.empty() : OptionalLong.of(value);
    }
}
