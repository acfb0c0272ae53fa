package io.twinbell.persistence.epoch;

import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.database.Rows;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Stores people's instructions about the role: the hold on automatic takeover, and moves by hand. Both nodes are
 * notified of each. The transaction that opens an epoch reads them too, so a promotion in progress respects a hold that
 * has been acknowledged.
 */
public final class InstructionRegister {
    /**
     * Longer than opening an epoch ever takes. An instruction that waits longer fails, so it never takes effect at some
     * later time.
     */
    private static final String LOCK_TIMEOUT = "set local lock_timeout = '2s'";

    private static final String NOTIFY = "notify twinbell_epoch";

    static final String IS_ON = "held_at is not null and coalesce(held_until, 'infinity') > clock_timestamp()";

    static final String HOLD_COLUMNS = "coalesce(" + IS_ON + """
            , false), twinbell.millis(held_at), twinbell.millis(held_until),
            twinbell.millis(held_until) - twinbell.now_millis(), t.reason, held_by""";

    /**
     * A common table expression named {@code no_hold}: one row, locked until the end of the transaction, if automatic
     * takeover is not on hold.
     */
    static final String NO_HOLD = """
            no_hold as materialized (select 1 from twinbell.takeover_hold
              where id = 1 and not (""" + IS_ON + ") for share)";

    private final DedicatedConnection connection;

    public InstructionRegister(DedicatedConnection connection) {
        this.connection = connection;
    }

    /**
     * Puts automatic takeover on hold. If it is on hold already, the reason and the end are replaced.
     *
     * @param untilMillis when the hold ends by itself; empty if it lasts until it is released
     */
    public void hold(String reason, String by, OptionalLong untilMillis) {
        instruct("""
                update twinbell.takeover_hold
                set held_at = case when\s""" + IS_ON + """
                \sthen held_at else clock_timestamp() end,
                    held_until = twinbell.instant(?), reason = ?, held_by = ?
                where id = 1""", statement -> {
            if (untilMillis.isPresent()) {
                statement.setLong(1, untilMillis.getAsLong());
            } else {
                statement.setNull(1, Types.BIGINT);
            }
            statement.setString(2, reason);
            statement.setString(3, by);
        });
    }

    /** Releases the hold on automatic takeover; false if there was none. */
    public boolean release() {
        return instruct("""
                update twinbell.takeover_hold set held_at = null, held_until = null, reason = null, held_by = null
                where id = 1 and\s""" + IS_ON, statement -> {});
    }

    /**
     * Asks the owner of {@code epoch} to hand over, and allows the move.
     *
     * @return the id of the request, for {@link #withdraw}
     */
    public long ask(long epoch, MoveRequest request) {
        return connection.transaction(c -> {
            execute(c, LOCK_TIMEOUT);
            try (PreparedStatement statement = c.prepareStatement("""
                    insert into twinbell.hand_over_request (epoch, to_node, requested_by, reason, by_hand)
                    values (?, ?, ?, ?, true) returning id""")) {
                statement.setLong(1, epoch);
                statement.setString(2, request.to());
                statement.setString(3, request.by());
                statement.setString(4, request.reason());
                long id = Rows.only(statement, row -> row.getLong(1));
                execute(c, NOTIFY);
                return id;
            }
        });
    }

    /** Withdraws a request that had no effect. */
    public void withdraw(long request) {
        instruct("delete from twinbell.hand_over_request where id = ?", statement -> statement.setLong(1, request));
    }

    /** The hold that is in effect now. */
    public Optional<TakeoverHold> hold() {
        return connection.run(
                "select " + HOLD_COLUMNS + " from twinbell.takeover_hold t",
                statement -> Optional.ofNullable(Rows.only(statement, row -> readHold(row, 1))));
    }

    /** Reads {@link #HOLD_COLUMNS}; null if no hold is in effect. */
    static TakeoverHold readHold(ResultSet row, int first) throws SQLException {
        if (!row.getBoolean(first)) {
            return null;
        }
        long until = row.getLong(first + 2);
        boolean hasEnd = !row.wasNull();
        return new TakeoverHold(
                row.getLong(first + 1),
                hasEnd ? until : Long.MAX_VALUE,
                hasEnd ? row.getLong(first + 3) : Long.MAX_VALUE,
                row.getString(first + 4),
                row.getString(first + 5));
    }

    private interface Binding {
        void bind(PreparedStatement statement) throws SQLException;
    }

    private boolean instruct(String sql, Binding binding) {
        return connection.transaction(c -> {
            execute(c, LOCK_TIMEOUT);
            try (PreparedStatement statement = c.prepareStatement(sql)) {
                binding.bind(statement);
                boolean hasChanged = statement.executeUpdate() > 0;
                execute(c, NOTIFY);
                return hasChanged;
            }
        });
    }

    private static void execute(Connection c, String sql) throws SQLException {
        try (var statement = c.createStatement()) {
            statement.execute(sql);
        }
    }
}
