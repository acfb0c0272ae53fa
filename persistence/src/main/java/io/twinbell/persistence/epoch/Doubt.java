package io.twinbell.persistence.epoch;

import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.database.ServerHistory;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.OptionalLong;

/**
 * Whether slots without a row may have run. A master that dies together with the primary cannot say what it had claimed
 * since the promoted replica received something last.
 */
public final class Doubt {
    /** So long after its last heartbeat a master may have gone on: until the next would have come, and its trust ended. */
    private static final Duration AFTER_THE_MARK = Duration.ofSeconds(4);

    private static final String LAST_BEAT = """
            select coalesce(h.timeline, 0), coalesce(h.is_synchronous, false), m.last_value, twinbell.now_millis()
            from twinbell.heartbeat h cross join twinbell.history_mark m where h.id = 1""";

    private final DedicatedConnection connection;
    private final ServerHistory servers;

    public Doubt(DedicatedConnection connection, ServerHistory servers) {
        this.connection = connection;
        this.servers = servers;
    }

    /**
     * Up to when slots may have run that have no row, by the database's clock. Call it before the first heartbeat under a new
     * epoch.
     *
     * @return empty if the server is the one that the last heartbeat went to, or if that had a synchronous replica
     * @throws io.twinbell.persistence.database.DatabaseUnavailableException if the database does not answer
     */
    public OptionalLong untilMillis() {
        return connection.run(c -> {
            try (Statement statement = c.createStatement();
                    ResultSet row = statement.executeQuery(LAST_BEAT)) {
                row.next();
                long timeline = row.getLong(1);
                boolean isSynchronous = row.getBoolean(2);
                boolean isPromoted = timeline > 0
                        && servers.newest()
                                .filter(now -> now.timeline() > timeline)
                                .isPresent();
                long mark = Math.max(row.getLong(3), servers.formerMarkMillis());
                // The mark is ahead of the time if the clock has been set back, and nothing runs before its time.
                return isPromoted && !isSynchronous
                        ? OptionalLong.of(Math.min(mark + AFTER_THE_MARK.toMillis(), row.getLong(4)))
                        : OptionalLong.empty();
            }
        });
    }
}
