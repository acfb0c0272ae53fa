package io.twinbell.node.alert.store;

import io.twinbell.node.alert.store.AlertDelivery.DeliveryState;
import io.twinbell.node.alert.store.AlertStore.StoredAlert;
import io.twinbell.persistence.database.Rows;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.UUID;

/** Reads and writes rows of alerts and deliveries, for the alert store and the alert outbox. */
final class AlertRows {
    /** The columns of the table {@code twinbell.alert a}. */
    static final String ALERT =
            "a.name, a.version, a.content, twinbell.millis(a.created_at), twinbell.millis(a.updated_at)";

    static final String DELIVERY = """
            id, key, alert, state, is_test, content, attempt, node, epoch, twinbell.millis(created_at),
            twinbell.millis(due_at), twinbell.millis(started_at), twinbell.millis(ended_at), output, error""";

    private AlertRows() {}

    static StoredAlert alert(ResultSet row) throws SQLException {
        return new StoredAlert(row.getString(1), row.getLong(2), row.getString(3), row.getLong(4), row.getLong(5));
    }

    static AlertDelivery delivery(ResultSet row) throws SQLException {
        return new AlertDelivery(
                row.getLong(1),
                row.getObject(2, UUID.class),
                row.getString(3),
                DeliveryState.valueOf(row.getString(4)),
                row.getBoolean(5),
                row.getString(6),
                new AlertDelivery.DeliveryProgress(
                        row.getInt(7),
                        row.getString(8),
                        row.getObject(9, Long.class),
                        row.getLong(10),
                        row.getObject(11, Long.class),
                        row.getObject(12, Long.class),
                        row.getObject(13, Long.class),
                        row.getString(14),
                        row.getString(15)));
    }

    static <T> List<T> query(Connection c, Rows.Reader<T> row, String sql, Object... values) throws SQLException {
        try (PreparedStatement statement = prepared(c, sql, values)) {
            return Rows.all(statement, row);
        }
    }

    static int update(Connection c, String sql, Object... values) throws SQLException {
        try (PreparedStatement statement = prepared(c, sql, values)) {
            return statement.executeUpdate();
        }
    }

    private static PreparedStatement prepared(Connection c, String sql, Object... values) throws SQLException {
        PreparedStatement statement = c.prepareStatement(sql);
        for (int i = 0; i < values.length; i++) {
            if (values[i] instanceof List<?> texts) {
                statement.setArray(i + 1, c.createArrayOf("text", texts.toArray()));
            } else {
                statement.setObject(i + 1, values[i]);
            }
        }
        return statement;
    }
}
