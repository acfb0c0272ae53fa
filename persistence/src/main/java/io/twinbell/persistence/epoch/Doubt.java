package io.twinbell.persistence.epoch;

import io.twinbell.persistence.database.DedicatedConnection;
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
 * Whether slots without a row may have run. A master that dies together with the primary cannot say what it had claimed
 * since the promoted replica received something last.
 */
public final class Doubt {
    /** So long after its last heartbeat a master may have gone on: until the next would have come, and its trust ended. */
    private static final Duration AFTER_THE_MARK = Duration.ofSeconds(4);

    private static final String LAST_BEAT = """
            select coalesce(h.timeline, 0), coalesce(h.is_synchronous, false), m.last_value, twinbell.now_millis()
            from twinbell.heartbeat h cross join twinbell.history_mark m where h.id = 1""";

    private static final String REMEMBER = "insert into twinbell.doubt_window (until_time, last_task)"
            + " values (twinbell.instant(?), coalesce((select max(id) from twinbell.task), 0))";

    private static final String LATEST = "select twinbell.millis(until_time), last_task from twinbell.doubt_window"
            + " order by found_at desc limit 1";

    private final DedicatedConnection connection;
    private final ServerHistory servers;

    public Doubt(DedicatedConnection connection, ServerHistory servers) {
        this.connection = connection;
        this.servers = servers;
    }

    /**
     * Which slots without a row may have run.
     *
     * @param untilMillis the last fire time, by the database's clock
     * @param lastTask a task with a greater id was added later
     */
    public record Window(long untilMillis, long lastTask) {
        /** Nothing is in doubt. */
        public static final Window NONE = new Window(Long.MIN_VALUE, 0);

        public boolean has(long taskId, long fireMillis) {
            return fireMillis <= untilMillis && taskId <= lastTask;
        }
    }

    /** Where it is asked for; as {@link Doubt#window} answers. */
    public interface Source {
        Window window(boolean isResigned);
    }

    /**
     * What is in doubt under a new epoch. Call it before the first heartbeat under it: after that, the server counts as the
     * one that the pair works with, and only what was found before is known.
     *
     * @param isResigned whether this server has the resignation of the last master, and so everything that came before it
     * @return {@link Window#NONE} if the server is the one that the last heartbeat went to, or if that had a synchronous
     *     replica, and no earlier master found anything
     * @throws io.twinbell.persistence.database.DatabaseUnavailableException if the database does not answer
     */
    public Window window(boolean isResigned) {
        return connection.run(c -> {
            OptionalLong found = isResigned ? OptionalLong.empty() : untilMillis(c);
            if (found.isPresent()) {
                remember(c, found.getAsLong());
            }
            return latest(c).orElse(Window.NONE);
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
            // The mark is ahead of the time if the clock has been set back, and nothing runs before its time.
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

    private static Optional<Window> latest(Connection c) throws SQLException {
        try (Statement statement = c.createStatement();
                ResultSet row = statement.executeQuery(LATEST)) {
            return row.next() ? Optional.of(new Window(row.getLong(1), row.getLong(2))) : Optional.empty();
        }
    }
}
