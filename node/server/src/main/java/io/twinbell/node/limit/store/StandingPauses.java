package io.twinbell.node.limit.store;

import io.twinbell.persistence.cluster.Pause;
import io.twinbell.persistence.database.Rows;
import io.twinbell.persistence.database.Transactions;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import javax.sql.DataSource;

/**
 * Stores standing pauses: each pauses the tasks of an app, with a tag or with a handler, also those that are created
 * later, until it is resumed. It does not change the tasks, so a task's own pause is independent of it.
 */
public final class StandingPauses {
    /** The maximum number of standing pauses that are open at once. */
    public static final int MAX_OPEN = 1000;

    private static final String ONE_WRITER = "lock table twinbell.standing_pause in share row exclusive mode";
    private static final String CLOSE_ENDED = """
            update twinbell.standing_pause set resumed_at = paused_until
            where resumed_at is null and paused_until <= statement_timestamp()""";
    private static final String FORGET = """
            delete from twinbell.standing_pause where id in (select id from twinbell.standing_pause
              where resumed_at is not null order by resumed_at desc offset\s""" + FiringPauses.KEPT_STANDING + ")";
    private static final String SET = """
            insert into twinbell.standing_pause as p (key, reason, paused_by, paused_until)
            select ?, ?, ?, twinbell.instant(?)
            where exists (select 1 from twinbell.standing_pause where key = ? and resumed_at is null)
              or (select count(*) from twinbell.standing_pause where resumed_at is null) < ?
            on conflict (key) where resumed_at is null do update set reason = excluded.reason,
              paused_by = excluded.paused_by, paused_until = excluded.paused_until
            returning p.xmax = 0""";
    private static final String END = """
            update twinbell.standing_pause set resumed_at = clock_timestamp()
            where key = ? and resumed_at is null and coalesce(paused_until, 'infinity') > statement_timestamp()""";
    private static final String SELECT = """
            select twinbell.millis(paused_at), twinbell.millis(least(resumed_at, paused_until)),
                   reason, paused_by, false, key
            from twinbell.standing_pause""";
    private static final String OPEN = SELECT + """
            \swhere resumed_at is null and coalesce(paused_until, 'infinity') > statement_timestamp() order by key""";

    private static final String OF_ALL = """
            select twinbell.millis(paused_at), twinbell.millis(least(resumed_at, paused_until)),
                   reason, paused_by, is_restore, null::text
            from twinbell.firing_pause""";
    private static final String AT = """
            \swhere paused_at <= twinbell.instant(?)
              and coalesce(least(resumed_at, paused_until), 'infinity') >= twinbell.instant(?)""";

    private final Transactions transactions;

    public StandingPauses(DataSource pool) {
        transactions = new Transactions(pool);
    }

    /** The outcomes of {@link #set}. */
    public enum SetResult {
        CREATED,
        CHANGED,
        /** There are {@link #MAX_OPEN} already. */
        FULL
    }

    /**
     * Begins a pause, or gives the open one of the same key a new reason and end. Both nodes are notified.
     *
     * @param untilMillis when it ends by itself; empty if it lasts until it is resumed
     */
    public SetResult set(String key, String reason, String by, OptionalLong untilMillis) {
        return transactions.run("pause tasks", connection -> {
            execute(connection, ONE_WRITER);
            execute(connection, CLOSE_ENDED);
            execute(connection, FORGET);
            try (PreparedStatement statement = connection.prepareStatement(SET)) {
                statement.setString(1, key);
                statement.setString(2, reason);
                statement.setString(3, by);
                statement.setObject(4, untilMillis.isPresent() ? untilMillis.getAsLong() : null, Types.BIGINT);
                statement.setString(5, key);
                statement.setInt(6, MAX_OPEN);
                Optional<Boolean> isNew = Rows.first(statement, row -> row.getBoolean(1));
                if (isNew.isEmpty()) {
                    return SetResult.FULL;
                }
                notifyNodes(connection);
                return isNew.get() ? SetResult.CREATED : SetResult.CHANGED;
            }
        });
    }

    /** Ends the pause; false if no pause of that key is open. */
    public boolean end(String key) {
        return transactions.run("resume tasks", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(END)) {
                statement.setString(1, key);
                boolean wasOpen = statement.executeUpdate() > 0;
                notifyNodes(connection);
                return wasOpen;
            }
        });
    }

    /** The open pauses in the order of their keys, {@link #MAX_OPEN} at most. */
    public List<Pause> open() {
        return transactions.run("read standing pauses", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(OPEN)) {
                return FiringPauses.read(statement);
            }
        });
    }

    /** The pauses of all firing, and the standing ones that are still known, that covered an instant. */
    public List<Pause> at(long millis) {
        return transactions.run("read pauses", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(OF_ALL + AT + " union all " + SELECT + AT)) {
                for (int i = 1; i <= 4; i++) {
                    statement.setLong(i, millis);
                }
                return FiringPauses.read(statement);
            }
        });
    }

    private static void notifyNodes(Connection connection) throws SQLException {
        execute(connection, "select pg_notify('twinbell_epoch', '')");
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.execute();
        }
    }
}
