package io.twinbell.persistence.cluster;

import io.twinbell.persistence.database.DedicatedConnection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.util.ArrayList;
import java.util.List;

/** When firing was held for the whole cluster. Kept in the database, so that it survives a change of master. */
public final class FiringPauses {
    /** How many past pauses are read: what passed in an older one has long been settled. */
    private static final int KEPT = 100;

    private final DedicatedConnection connection;

    /** @param untilMillis {@link Long#MAX_VALUE} while it lasts */
    public record Pause(long fromMillis, long untilMillis, String reason) {
        public boolean isOpen() {
            return untilMillis == Long.MAX_VALUE;
        }

        public boolean covers(long millis) {
            return fromMillis <= millis && millis <= untilMillis;
        }
    }

    public FiringPauses(DedicatedConnection connection) {
        this.connection = connection;
    }

    /** Begins a pause; false if there is one already. Both nodes are told. */
    public boolean pause(String reason, String by) {
        return connection.run(c -> {
            try (PreparedStatement statement = c.prepareStatement(
                    "with begun as (insert into twinbell.firing_pause (reason, paused_by) values (?, ?)"
                            + " on conflict do nothing returning 1)"
                            + " select pg_notify('twinbell_epoch', '') from begun")) {
                statement.setString(1, reason);
                statement.setString(2, by);
                try (ResultSet told = statement.executeQuery()) {
                    return told.next();
                }
            }
        });
    }

    /** Ends the pause; false if there is none. */
    public boolean resume() {
        return connection.run(c -> {
            try (PreparedStatement statement = c.prepareStatement(
                            "with ended as (update twinbell.firing_pause set resumed_at = clock_timestamp()"
                                    + " where resumed_at is null returning 1)"
                                    + " select pg_notify('twinbell_epoch', '') from ended");
                    ResultSet told = statement.executeQuery()) {
                return told.next();
            }
        });
    }

    /** The latest pauses, newest first. */
    public List<Pause> latest() {
        return connection.run(c -> {
            try (PreparedStatement statement =
                            c.prepareStatement("select twinbell.millis(paused_at), twinbell.millis(resumed_at), reason"
                                    + " from twinbell.firing_pause order by id desc limit " + KEPT);
                    ResultSet rows = statement.executeQuery()) {
                List<Pause> pauses = new ArrayList<>();
                while (rows.next()) {
                    long until = rows.getLong(2);
                    boolean isOpen = rows.wasNull();
                    pauses.add(new Pause(rows.getLong(1), isOpen ? Long.MAX_VALUE : until, rows.getString(3)));
                }
                return pauses;
            }
        });
    }
}
