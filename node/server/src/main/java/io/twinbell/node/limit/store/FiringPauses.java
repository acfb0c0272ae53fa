package io.twinbell.node.limit.store;

import io.twinbell.persistence.cluster.Pause;
import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.database.Rows;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Types;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;

/**
 * Stores when firing was paused for the whole cluster. It is in the database, so a pause survives a change of master.
 */
public final class FiringPauses {
    /** The number of past pauses that are read: slots of older pauses were settled long ago. */
    private static final int KEPT = 100;

    /** The number of ended standing pauses that are kept, for the same reason. */
    static final int KEPT_STANDING = 1000;

    private static final String STANDING = String.format(Locale.ROOT, """
            (select twinbell.millis(paused_at), twinbell.millis(paused_until), reason, paused_by, false, key
             from twinbell.standing_pause where resumed_at is null)
            union all
            (select twinbell.millis(paused_at), twinbell.millis(least(resumed_at, paused_until)),
                    reason, paused_by, false, key
             from twinbell.standing_pause where resumed_at is not null order by resumed_at desc limit %d)""", KEPT_STANDING);

    private final DedicatedConnection connection;

    public FiringPauses(DedicatedConnection connection) {
        this.connection = connection;
    }

    /**
     * Begins a pause, or gives the current one a new reason and end. Both nodes are notified.
     *
     * @param untilMillis when it ends by itself; empty if it lasts until firing is resumed
     * @return false if firing was paused already
     */
    public boolean pause(String reason, String by, OptionalLong untilMillis) {
        return connection.transaction(c -> {
            closeEnded(c);
            try (PreparedStatement statement = c.prepareStatement("""
                    with begun as (
                      insert into twinbell.firing_pause as p (reason, paused_by, paused_until)
                      values (?, ?, twinbell.instant(?))
                      on conflict ((resumed_at is null)) where resumed_at is null do update
                      set reason = excluded.reason, paused_by = excluded.paused_by, paused_until = excluded.paused_until
                      returning p.xmax = 0 as is_new)
                    select is_new, pg_notify('twinbell_epoch', '') from begun""")) {
                statement.setString(1, reason);
                statement.setString(2, by);
                statement.setObject(3, untilMillis.isPresent() ? untilMillis.getAsLong() : null, Types.BIGINT);
                return Rows.first(statement, row -> row.getBoolean(1)).orElse(false);
            }
        });
    }

    /**
     * Adds a pause for the time from that instant until now, which is missing in a restored database. Both nodes are
     * notified.
     */
    public void addRestore(long fromMillis, String reason, String by) {
        connection.run("""
                with added as (
                  insert into twinbell.firing_pause (paused_at, resumed_at, reason, paused_by, is_restore)
                  values (twinbell.instant(?), clock_timestamp(), ?, ?, true) returning 1)
                select pg_notify('twinbell_epoch', '') from added""", statement -> {
            statement.setLong(1, fromMillis);
            statement.setString(2, reason);
            statement.setString(3, by);
            return statement.execute();
        });
    }

    /** Records the end of a pause that ended by itself; this happens only when the next pause begins. */
    private static void closeEnded(Connection c) throws SQLException {
        try (PreparedStatement statement = c.prepareStatement("""
                update twinbell.firing_pause set resumed_at = paused_until
                where resumed_at is null and paused_until <= statement_timestamp()""")) {
            statement.executeUpdate();
        }
    }

    /** Resumes firing; false if it is not paused. */
    public boolean resume() {
        return connection.run("""
                with ended as (
                  update twinbell.firing_pause set resumed_at = clock_timestamp()
                  where resumed_at is null and coalesce(paused_until, 'infinity') > statement_timestamp() returning 1)
                select pg_notify('twinbell_epoch', '') from ended""", Rows::isAny);
    }

    /** The latest pauses of all firing, and all standing pauses that may matter for a due slot. */
    public List<Pause> withStanding() {
        List<Pause> pauses = new ArrayList<>(latest());
        pauses.addAll(connection.run(STANDING, FiringPauses::read));
        return pauses;
    }

    /** The latest pauses of all firing, newest first. */
    public List<Pause> latest() {
        return connection.run("""
                select twinbell.millis(paused_at), twinbell.millis(least(resumed_at, paused_until)),
                       reason, paused_by, is_restore, null::text
                from twinbell.firing_pause order by id desc limit\s""" + KEPT, FiringPauses::read);
    }

    /** Reads pauses. The columns are: beginning, end, reason, person, whether a restore began it, key. */
    static List<Pause> read(PreparedStatement statement) throws SQLException {
        return Rows.all(statement, row -> {
            long until = row.getLong(2);
            long end = row.wasNull() ? Long.MAX_VALUE : until;
            return new Pause(
                    row.getLong(1), end, row.getString(3), row.getString(4), row.getBoolean(5), row.getString(6));
        });
    }
}
