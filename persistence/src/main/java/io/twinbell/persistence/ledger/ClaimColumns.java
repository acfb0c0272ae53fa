package io.twinbell.persistence.ledger;

import io.twinbell.persistence.epoch.Epoch;
import java.sql.Array;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;

/** The columns that say which claim a row belongs to, and those of an attempt with the definition of its run. */
public final class ClaimColumns {
    /**
     * The definition of {@link #TASK} for the run of row {@code e}. It has expireAfter only for the first attempt of a
     * planned slot: a row that is in turn but was not queued is a run that was requested again.
     */
    private static final String RUN_DEFINITION = """
            twinbell.run_definition(twinbell.full_definition(d.content, t.data, t.start_at, t.fire_at), e.parent, e.data) #- case
              when e.origin is null and e.attempt = 1 and (e.queued or not e.in_turn) then '{}'::text[]
              else '{expireAfter}' end""";

    /**
     * Joins task {@code t} and its definition {@code d} to the column {@code %1$s}. {@code = any(array[…])} keeps the
     * planner from hashing a whole table: a plan made while the table is empty would stay in use when it is large.
     */
    private static final String TASK = """

            left join twinbell.task t on t.id = any(array[%1$s])
            left join twinbell.definition d on d.id = any(array[t.definition_id])
            """;

    /** The columns of an attempt, of row {@code e} and its {@link #task}, after a space. */
    public static final String ATTEMPT = """
            \se.task_id, twinbell.millis(e.fire_time), e.app, e.name, e.attempt, e.epoch, e.node,
            """ + RUN_DEFINITION + """
            , e.in_turn, d.tags, e.snoozes, twinbell.millis(e.snoozed_since) as snoozed_since, e.origin, e.reruns""";

    private ClaimColumns() {}

    /** Joins the task with this id, and its definition; empty columns if there is no such task. */
    public static String task(String id) {
        return String.format(Locale.ROOT, TASK, id);
    }

    /** Binds the three parameters from {@code index} on; returns the index after them. */
    public static int bind(PreparedStatement statement, int index, Epoch epoch, long batch) throws SQLException {
        statement.setLong(index, epoch.number());
        statement.setString(index + 1, epoch.node());
        statement.setLong(index + 2, batch);
        return index + 3;
    }

    /** Reads the columns of {@link #ATTEMPT}. */
    public static Attempt attempt(ResultSet row) throws SQLException {
        return new Attempt(
                slot(row),
                row.getString(3),
                row.getString(4),
                row.getInt(5),
                row.getLong(6),
                row.getString(7),
                row.getString(8),
                row.getBoolean(9),
                texts(row.getArray("tags")),
                snoozes(row),
                new Attempt.Origin(row.getString("origin"), row.getInt("reruns")));
    }

    /** A rerun on request begins from the start. */
    private static Attempt.Snoozes snoozes(ResultSet row) throws SQLException {
        int count = row.getInt("snoozes");
        long since = row.getLong("snoozed_since");
        return count == 0 ? Attempt.Snoozes.NONE : new Attempt.Snoozes(count, row.wasNull() ? Long.MAX_VALUE : since);
    }

    /** Reads a slot from the first two columns: task id and fire time in milliseconds. */
    public static Slot slot(ResultSet row) throws SQLException {
        return new Slot(row.getLong(1), row.getLong(2));
    }

    /** Converts an array to a list; null gives an empty list. */
    public static List<String> texts(Array array) throws SQLException {
        return array == null ? List.of() : List.of((String[]) array.getArray());
    }

    /** Whether a statement failed, and changed nothing, because one of its new rows exists already. */
    public static boolean isDuplicateKey(SQLException e) {
        return "23505".equals(e.getSQLState());
    }
}
