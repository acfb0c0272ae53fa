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
                     twinbell.instant(nullif(ended, 9223372036854775807)) as ended_at, output, error, reason,
                     twinbell.instant(nullif(due, 9223372036854775807)) as due_at, failure
              from unnest(?::bigint[], ?::bigint[], ?::bigint[], ?::text[], ?::bigint[], ?::bigint[],
                          ?::text[], ?::text[], ?::text[], ?::bigint[], ?::text[])
                as d(task_id, fire, attempt, state, started, ended, output, error, reason, due, failure)
            )""";

    private static final String RECORD = "with " + Authority.ALSO_WHILE_DRAINING + ", " + DONE + """
            , recorded as (
              update twinbell.execution e
              set state = d.state, started_at = d.started_at, ended_at = d.ended_at, output = d.output,
                  error = d.error, reason = coalesce(d.reason, e.reason), due_at = d.due_at,
                  attempts = case when d.failure is null then e.attempts
                    else twinbell.with_attempt(e.attempts, e.attempt, d.failure, e.node, e.epoch, d.started_at, d.ended_at,
                                               d.error, null) end
              from done d
              where e.task_id = d.task_id and e.fire_time = d.fire_time and e.attempt = d.attempt and e.epoch = ?
                and e.state in ('CLAIMED', 'RUNNING') and exists (select 1 from authority)
              returning d.due_at
            ), told as (
              -- Also another node's master: a draining one leaves its retries to it.
              select pg_notify('twinbell_ledger', '') from recorded where due_at is not null limit 1
            )
            select (select count(*) from authority), (select count(*) from recorded), (select count(*) from told)""";

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
                ? connection.run(c -> update(c, epoch, completions))
                : connection.transaction(c -> {
                    boolean may = update(c, epoch, completions);
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

    private static boolean update(Connection c, Epoch epoch, List<Completion> completions) throws SQLException {
        try (PreparedStatement statement = c.prepareStatement(RECORD)) {
            int next = bindDone(c, statement, Authority.bind(statement, 1, epoch), completions);
            statement.setLong(next, epoch.number());
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return row.getLong(1) == 1;
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
        statement.setArray(
                next++,
                Rows.longs(
                        c,
                        done,
                        d -> d.retry() == null ? Long.MAX_VALUE : d.retry().dueMillis()));
        statement.setArray(
                next++,
                Rows.texts(
                        c,
                        done,
                        d -> d.retry() == null ? null : d.retry().failure().name()));
        return next;
    }
}
