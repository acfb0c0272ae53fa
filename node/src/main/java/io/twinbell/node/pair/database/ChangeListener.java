package io.twinbell.node.pair.database;

import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.database.DedicatedConnection;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;
import java.util.function.Consumer;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/**
 * Listens to PostgreSQL notifications on a dedicated connection and passes them on. A notification contains ids and
 * never content: the tables are authoritative. Notifications sent while the connection was down are lost, so the
 * receiver learns of every (re)connection and then reads everything again.
 */
public final class ChangeListener implements AutoCloseable {
    private static final int WAIT_MILLIS = 1000;
    private static final long RETRY_NANOS = Duration.ofMillis(200).toNanos();

    private final DedicatedConnection connection;
    private final Changes changes;
    private final Consumer<DatabaseUnavailableException> onFailure;
    private int listeningPid;
    private volatile boolean closed;

    /** Receives the notifications. Called on the listener's thread. */
    public interface Changes {
        /** The connection is new: notifications may have been missed. */
        void listening();

        void tasksChanged(long[] taskIds);

        /** Pending rows or passed slots were added. */
        void ledgerChanged();

        /** A calendar was created, changed or removed. */
        void calendarsChanged();

        /** A limit was set or removed. */
        void limitsChanged();

        /** A parked attempt was answered. */
        void callbackAnswered();

        /** An epoch was opened, or the owner was asked to hand over. */
        void epochChanged();
    }

    /** @param onFailure called each time the connection breaks, before the next try */
    public ChangeListener(
            DedicatedConnection connection, Changes changes, Consumer<DatabaseUnavailableException> onFailure) {
        this.connection = connection;
        this.changes = changes;
        this.onFailure = onFailure;
    }

    /** Waits up to 1 s for notifications and passes them on; returns how long to wait, in nanoseconds. */
    public long step() {
        if (closed) {
            return RETRY_NANOS;
        }
        try {
            PGNotification[] heard = connection.run(this::listen);
            for (PGNotification notification : heard) {
                pass(notification);
            }
            return 0;
        } catch (DatabaseUnavailableException e) {
            // The next session may get the same process id.
            listeningPid = 0;
            if (!closed) {
                onFailure.accept(e);
            }
            return RETRY_NANOS;
        }
    }

    /** Breaks off the wait of a step that is under way; later steps do nothing. Any thread. */
    @Override
    public void close() {
        closed = true;
        connection.breakOff();
    }

    private PGNotification[] listen(Connection c) throws SQLException {
        PGConnection postgres = c.unwrap(PGConnection.class);
        try (Statement statement = c.createStatement()) {
            if (postgres.getBackendPID() != listeningPid) {
                statement.execute("listen twinbell_task; listen twinbell_ledger; listen twinbell_epoch;"
                        + " listen twinbell_calendar; listen twinbell_limit; listen twinbell_parked");
                listeningPid = postgres.getBackendPID();
                changes.listening();
            }
            PGNotification[] heard = postgres.getNotifications(WAIT_MILLIS);
            if (heard == null || heard.length == 0) {
                // Only an answer shows that the connection is not half open.
                statement.execute("select 1");
                return new PGNotification[0];
            }
            return heard;
        }
    }

    private void pass(PGNotification notification) {
        // The schema's name, an underscore, and what has changed.
        String channel = notification.getName();
        switch (channel.substring(channel.lastIndexOf('_') + 1)) {
            case "task" -> passTasks(notification.getParameter());
            case "ledger" -> changes.ledgerChanged();
            case "calendar" -> changes.calendarsChanged();
            case "limit" -> changes.limitsChanged();
            case "parked" -> changes.callbackAnswered();
            default -> changes.epochChanged();
        }
    }

    /** Any role may notify this channel. A payload that is not a list of ids may mean any change. */
    private void passTasks(String payload) {
        try {
            changes.tasksChanged(ids(payload));
        } catch (NumberFormatException e) {
            changes.listening();
        }
    }

    private static long[] ids(String payload) {
        return Arrays.stream(payload.split(","))
                .filter(id -> !id.isEmpty())
                .mapToLong(Long::parseLong)
                .toArray();
    }
}
