package io.twinbell.persistence.epoch;

import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.database.Rows;
import io.twinbell.persistence.database.ServerHistory;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Determines which slots without a ledger row may have run. If a master is lost together with the primary, its latest
 * claims may be missing in the promoted replica.
 */
public final class DoubtWindow {
    /**
     * A master may have continued this long after its last heartbeat: until the next heartbeat was due and its trust
     * ended.
     */
    private static final Duration AFTER_THE_MARK = Duration.ofSeconds(4);

    private static final String LAST_BEAT = """
            select coalesce(h.timeline, 0), coalesce(h.is_synchronous, false), m.last_value, twinbell.now_millis()
            from twinbell.heartbeat h cross join twinbell.history_mark m where h.id = 1""";

    private static final String REMEMBER = """
            insert into twinbell.doubt_window (until_time, last_task)
            values (twinbell.instant(?), coalesce((select max(id) from twinbell.task), 0))""";

    private static final String LATEST =
            "select twinbell.millis(until_time), last_task from twinbell.doubt_window order by found_at desc limit 1";

    private final DedicatedConnection connection;
    private final ServerHistory servers;

    public DoubtWindow(DedicatedConnection connection, ServerHistory servers) {
        this.connection = connection;
        this.servers = servers;
    }

    /**
     * The slots without a row that may have run.
     *
     * @param untilMillis the last fire time, by the database's clock
     * @param lastTask tasks with a greater id were added later
     */
    public record DoubtBounds(long untilMillis, long lastTask) {
        /** Nothing is in doubt. */
        public static final DoubtBounds NONE = new DoubtBounds(Long.MIN_VALUE, 0);

        public boolean has(long taskId, long fireMillis) {
            return fireMillis <= untilMillis && taskId <= lastTask;
        }
    }

    /** Supplies the window; see {@link DoubtWindow#window}. */
    public interface Source {
        DoubtBounds window(boolean isResigned);
    }

    /**
     * The slots in doubt under a new epoch. Call it before the first heartbeat under that epoch: the heartbeat makes
     * the current server the one that the pair works with, so after it only earlier findings are known.
     *
     * @param isResigned whether this server has the resignation of the last master, and so everything before it
     * @return {@link DoubtBounds#NONE} if the last heartbeat went to this server or to one with a synchronous replica,
     *     and no earlier master found anything
     * @throws io.twinbell.persistence.database.DatabaseUnavailableException if the database does not answer
     */
    public DoubtBounds window(boolean isResigned) {
        return connection.run(c -> {
            OptionalLong found = isResigned ? OptionalLong.empty() : untilMillis(c);
            if (found.isPresent()) {
                remember(c, found.getAsLong());
            }
            return latest(c).orElse(DoubtBounds.NONE);
        });
    }

    private OptionalLong untilMillis(Connection c) throws SQLException {
        try (Statement statement = c.createStatement();
                ResultSet row = statement.executeQuery(LAST_BEAT)) {
            row.next();
            long timeline = row.getLong(1);
            boolean isSynchronous = row.getBoolean(2);
            boolean isPromoted = timeline > 0
                    && servers.newest().filter(now -> now.timeline() > timeline).isPresent();
            long mark = Math.max(row.getLong(3), servers.formerMarkMillis());
            // If the clock was set back, the mark is ahead of the time; nothing runs before its time.
            return isPromoted && !isSynchronous
                    ? OptionalLong.of(Math.min(mark + AFTER_THE_MARK.toMillis(), row.getLong(4)))
                    : OptionalLong.empty();
        }
    }

    private static void remember(Connection c, long untilMillis) throws SQLException {
        try (PreparedStatement statement = c.prepareStatement(REMEMBER)) {
            statement.setLong(1, untilMillis);
            statement.executeUpdate();
        }
    }

    private static Optional<DoubtBounds> latest(Connection c) throws SQLException {
        try (PreparedStatement statement = c.prepareStatement(LATEST)) {
            return Rows.first(statement, row -> new DoubtBounds(row.getLong(1), row.getLong(2)));
        }
    }
}
