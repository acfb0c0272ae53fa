package io.twinbell.persistence.ledger;

import io.twinbell.persistence.epoch.Epoch;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/** The columns that say which claim a row belongs to, and those of an attempt with the definition of its run. */
public final class ClaimColumns {
    /**
     * The definition of task {@code t} for the run of row {@code e}. It has expireAfter only for the first attempt of a
     * planned slot: a row that is in turn but was not queued is a run that was requested again.
     */
    private static final String RUN_DEFINITION = """
            twinbell.run_definition(t.definition, e.parent, e.data) #- case
              when e.origin is null and e.attempt = 1 and (e.queued or not e.in_turn) then '{}'::text[]
              else '{expireAfter}' end""";

    /** The columns of an attempt, of row {@code e} and its task {@code t}, after a space. */
    public static final String ATTEMPT = """
            \se.task_id, twinbell.millis(e.fire_time), e.app, e.name, e.attempt, e.epoch, e.node,
            """ + RUN_DEFINITION + """
            , e.in_turn, t.tags, e.snoozes, twinbell.millis(e.snoozed_since) as snoozed_since, e.origin, e.reruns""";

    private ClaimColumns() {}

    /** Binds the three parameters from {@code index} on; returns the index after them. */
    public static int bind(PreparedStatement statement, int index, Epoch epoch, long batch) throws SQLException {
        statement.setLong(index, epoch.number());
        statement.setString(index + 1, epoch.node());
        statement.setLong(index + 2, batch);
        return index + 3;
    }
}
