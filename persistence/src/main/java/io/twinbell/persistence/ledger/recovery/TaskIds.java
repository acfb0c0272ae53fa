package io.twinbell.persistence.ledger.recovery;

import io.twinbell.persistence.database.Rows;
import io.twinbell.persistence.database.ScanWindow;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/** The range of the ids of existing tasks. */
final class TaskIds {
    private static final String RANGE = "select coalesce(min(id), 0), coalesce(max(id), 0) from twinbell.task";

    private TaskIds() {}

    static ScanWindow.Range range(Connection c) throws SQLException {
        try (PreparedStatement statement = c.prepareStatement(RANGE)) {
            return Rows.only(statement, row -> new ScanWindow.Range(row.getLong(1), row.getLong(2)));
        }
    }
}
