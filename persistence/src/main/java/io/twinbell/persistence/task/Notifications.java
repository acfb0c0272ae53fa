package io.twinbell.persistence.task;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** Notifies the master of changes when the transaction commits. */
final class Notifications {
    /** PostgreSQL refuses a payload of 8000 bytes; ids and commas take one byte per character. */
    private static final int MAX_PAYLOAD = 7999;

    private Notifications() {}

    static void tasksChanged(Connection connection, Collection<Long> ids) throws SQLException {
        for (String payload : payloads(ids)) {
            send(connection, "select pg_notify('twinbell_task', ?)", payload);
        }
    }

    static void ledgerHasWork(Connection connection) throws SQLException {
        send(connection, "select pg_notify('twinbell_ledger', ?)", "");
    }

    /** The ids, separated by commas, in as few payloads as possible. */
    static List<String> payloads(Collection<Long> ids) {
        List<String> payloads = new ArrayList<>();
        StringBuilder payload = new StringBuilder();
        for (long id : ids) {
            String text = Long.toString(id);
            if (payload.length() + 1 + text.length() > MAX_PAYLOAD) {
                payloads.add(payload.toString());
                payload.setLength(0);
            }
            payload.append(payload.isEmpty() ? "" : ",").append(text);
        }
        if (!payload.isEmpty()) {
            payloads.add(payload.toString());
        }
        return payloads;
    }

    private static void send(Connection connection, String notify, String payload) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(notify)) {
            statement.setString(1, payload);
            statement.execute();
        }
    }
}
