package io.twinbell.persistence.ledger;

import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.epoch.Authority;
import io.twinbell.persistence.epoch.Epoch;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;

/** Completions, in one statement a batch. */
public final class JdbcRecorder implements Recorder {
    private static final String DONE = """
            done as (
              select task_id, twinbell.instant(fire) as fire_time, attempt, state,
                     twinbell.instant(nullif(started, 9223372036854775807)) as started_at,
                     twinbell.instant(nullif(ended, 9223372036854775807)) as ended_at, output, error, reason
              from unnest(?::bigint[], ?::bigint[], ?::bigint[], ?::text[], ?::bigint[], ?::bigint[],
                          ?::text[], ?::text[], ?::text[])
                as d(task_id, fire, attempt, state, started, ended, output, error, reason)
            )""";

    private static final String RECORD = "with " + Authority.ALSO_WHILE_DRAINING + ", " + DONE + """
            , recorded as (
              update twinbell.execution e
              set state = d.state, started_at = d.started_at, ended_at = d.ended_at, output = d.output,
                  error = d.error, reason = coalesce(d.reason, e.reason)
              from done d
              where e.task_id = d.task_id and e.fire_time = d.fire_time and e.attempt = d.attempt and e.epoch = ?
                and e.state in ('CLAIMED', 'RUNNING') and exists (select 1 from authority)
              returning 1
            )
            select (select count(*) from authority), (select count(*) from recorded)""";

    private static final String NOTE = "with " + DONE + """
            update twinbell.execution e
            set note = left(concat_ws(E'\\n', e.note, 'attempt ' || d.attempt || ' ended after its epoch was superseded: '
                || d.state || coalesce(' at ' || d.ended_at, '') || coalesce(', ' || d.error, '')), 4000)
            from done d
            where e.task_id = d.task_id and e.fire_time = d.fire_time""";

    private final DedicatedConnection connection;

    public JdbcRecorder(DedicatedConnection connection) {
        this.connection = connection;
    }

    @Override
    public List<Completion> record(Epoch epoch, List<Completion> completions) {
        List<Completion> followed = completions.stream()
                .filter(completion -> completion.nextMillis() != Completion.NOT_FOLLOWED)
                .toList();
        boolean authorised = followed.isEmpty()
                ? connection.run(c -> update(c, epoch, completions).isAuthorised())
                : connection.transaction(c -> {
                    boolean may = update(c, epoch, completions).isAuthorised();
                    if (may) {
                        Reschedule.run(
                                c,
                                epoch,
                                followed,
                                completion -> completion.slot().taskId(),
                                Completion::nextMillis);
                    }
                    return may;
                });
        return authorised ? List.of() : completions;
    }

    /**
     * What the statement did.
     *
     * @param rows how many completions were entered; others had been before, or their claim was settled
     */
    record Written(boolean isAuthorised, int rows) {}

    static Written update(Connection c, Epoch epoch, List<Completion> completions) throws SQLException {
        try (PreparedStatement statement = c.prepareStatement(RECORD)) {
            int next = bindDone(c, statement, Authority.bind(statement, 1, epoch), completions);
            statement.setLong(next, epoch.number());
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return new Written(row.getLong(1) == 1, row.getInt(2));
            }
        }
    }

    @Override
    public void note(List<Completion> late) {
        connection.run(c -> {
            try (PreparedStatement statement = c.prepareStatement(NOTE)) {
                bindDone(c, statement, 1, late);
                return statement.executeUpdate();
            }
        });
    }

    private static int bindDone(Connection c, PreparedStatement statement, int index, List<Completion> done)
            throws SQLException {
        int next = index;
        statement.setArray(next++, Rows.longs(c, done, d -> d.slot().taskId()));
        statement.setArray(next++, Rows.longs(c, done, d -> d.slot().fireTimeMillis()));
        statement.setArray(next++, Rows.longs(c, done, Completion::attempt));
        statement.setArray(next++, Rows.texts(c, done, d -> d.state().name()));
        statement.setArray(next++, Rows.longs(c, done, d -> d.run().startedMillis()));
        statement.setArray(next++, Rows.longs(c, done, d -> d.run().endedMillis()));
        statement.setArray(
                next++, Rows.texts(c, done, d -> Rows.storable(d.text().output())));
        statement.setArray(
                next++, Rows.texts(c, done, d -> Rows.storable(d.text().error())));
        statement.setArray(
                next++, Rows.texts(c, done, d -> Rows.storable(d.text().reason())));
        return next;
    }
}
