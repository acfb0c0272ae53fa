package io.twinbell.persistence.epoch;

import io.twinbell.persistence.database.Rows;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/**
 * Guards every claim and completion with a check of the epoch inside the statement. {@code FOR SHARE} makes a promotion
 * wait for statements in flight and makes later ones check again. A plain {@code EXISTS} would leave a gap between
 * snapshot and write. {@code FOR KEY SHARE} does not conflict with the promotion at all.
 */
public final class EpochGuard {
    /**
     * A common table expression named {@code authority}: one row if the epoch may claim. An epoch that was resigned may
     * not. Two parameters.
     */
    public static final String OF_THE_OWNER = """
            authority as materialized (select 1 from twinbell.epoch
              where id = 1 and epoch = ? and owner_token = ? and resigned_at is null for share)""";

    /**
     * Like {@link #OF_THE_OWNER}, but also true for a master that handed over and is finishing its runs. Two
     * parameters.
     */
    public static final String ALSO_WHILE_DRAINING = """
            mine as materialized (select ?::bigint as epoch, ?::uuid as token),
            authority as materialized (select 1 from twinbell.epoch e, mine where e.id = 1 and (
                (e.epoch = mine.epoch and e.owner_token = mine.token)
                or exists (select 1 from twinbell.drains(e) d where d.epoch = mine.epoch and d.token = mine.token))
              for share of e)""";

    private EpochGuard() {}

    /** Binds the two parameters from {@code index} on; returns the index after them. */
    public static int bind(PreparedStatement statement, int index, Epoch epoch) throws SQLException {
        statement.setLong(index, epoch.number());
        statement.setObject(index + 1, epoch.token());
        return index + 2;
    }

    /** Whether the epoch may write. If so, no node is promoted before the transaction ends. */
    public static boolean isOwner(Connection connection, Epoch epoch) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("with " + OF_THE_OWNER + " select 1 from authority")) {
            bind(statement, 1, epoch);
            return Rows.isAny(statement);
        }
    }
}
