package io.twinbell.persistence.ledger.callback;

import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.database.Rows;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.epoch.EpochGuard;
import io.twinbell.persistence.ledger.ClaimColumns;
import io.twinbell.persistence.ledger.ColumnArrays;
import io.twinbell.persistence.ledger.ExecutionState;
import io.twinbell.persistence.ledger.PackedSlots;
import io.twinbell.persistence.ledger.Slot;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Parks attempts in PostgreSQL. Each write of a master carries its epoch. */
public final class JdbcCallbackStore implements CallbackStore {
    private static final String PARK = "with " + EpochGuard.ALSO_WHILE_DRAINING + """
            , given as (
              select task_id, twinbell.instant(fire) as fire_time, attempt, decode(hash, 'hex') as hash,
                     to_timestamp(started / 1000000.0::float8) as started_at, timeout * interval '1 millisecond' as timeout
              from unnest(?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[], ?::text[], ?::bigint[])
                as g(task_id, fire, attempt, started, hash, timeout)
            ), marked as (
              update twinbell.execution e set state = 'RUNNING', started_at = g.started_at, changed = pg_current_xact_id()
              from given g
              where twinbell.same(e.task_id, g.task_id) and twinbell.same(e.fire_time, g.fire_time)
                and e.attempt = g.attempt and e.epoch = ?
                and e.state || '' in ('CLAIMED', 'RUNNING') and exists (select 1 from authority)
              returning e.task_id, e.fire_time, e.checkpoint
            ), parked as (
              insert into twinbell.parked as p (task_id, fire_time, attempt, token_hash, expires_at, timeout)
              select g.task_id, g.fire_time, g.attempt, g.hash, g.started_at + g.timeout, g.timeout
              from given g join marked m on m.task_id = g.task_id and m.fire_time = g.fire_time
              on conflict (task_id, fire_time, attempt) do update
              set token_hash = excluded.token_hash, parked_at = clock_timestamp(), expires_at = excluded.expires_at,
                  timeout = excluded.timeout, is_out = false, answer = null, answered_at = null, output = null,
                  error = null, error_code = null, over_at = null
              where p.token_hash <> excluded.token_hash
            )
            select null::bigint, null::bigint, null::text, (select count(*) from authority)
            union all
            select task_id, twinbell.millis(fire_time), checkpoint, 1 from marked""";

    private static final String RECORD_ACCEPTED = "with " + EpochGuard.ALSO_WHILE_DRAINING + """
            , given as (
              select task_id, twinbell.instant(fire) as fire_time, attempt
              from unnest(?::bigint[], ?::bigint[], ?::bigint[]) as g(task_id, fire, attempt)
            ), changed as (
              update twinbell.parked p set is_out = true from given g
              where twinbell.same(p.task_id, g.task_id) and twinbell.same(p.fire_time, g.fire_time)
                and p.attempt = g.attempt and p.over_at is null and exists (select 1 from authority)
            )
            select count(*) from authority""";

    /** Of two concurrent answers, the later one waits for the row's lock and then finds the earlier one. */
    private static final String ANSWER = "with " + EpochGuard.ALSO_WHILE_DRAINING + """
            , given as (
              select task_id, twinbell.instant(fire) as fire_time, attempt, state, output, error, code
              from unnest(?::bigint[], ?::bigint[], ?::bigint[], ?::text[], ?::text[], ?::text[], ?::text[])
                as g(task_id, fire, attempt, state, output, error, code)
            )
            update twinbell.parked p set answer = g.state, answered_at = clock_timestamp(), output = g.output, error = g.error,
                error_code = g.code
            from given g
            where twinbell.same(p.task_id, g.task_id) and twinbell.same(p.fire_time, g.fire_time)
              and p.attempt = g.attempt and p.answer is null and p.over_at is null
              and exists (select 1 from authority)
            returning p.task_id, twinbell.millis(p.fire_time)""";

    private static final String ANSWERED = """
            select p.task_id, twinbell.millis(p.fire_time)
            from unnest(?::bigint[], ?::bigint[], ?::bigint[]) as g(task_id, fire, attempt)
              join twinbell.parked p on twinbell.same(p.task_id, g.task_id)
                and twinbell.same(p.fire_time, twinbell.instant(g.fire)) and p.attempt = g.attempt
            where p.answer is not null and p.over_at is null""";

    private static final String EXPIRE = "with " + EpochGuard.OF_THE_OWNER + """
            , due as (
              select task_id, fire_time, attempt from twinbell.parked
              where over_at is null and answer is null and expires_at <= statement_timestamp()
                and exists (select 1 from authority)
              order by expires_at limit ? for update skip locked
            )
            update twinbell.parked p
            set answer = 'TIMED_OUT', answered_at = clock_timestamp(), error_code = 'TIMEOUT',
                error = 'no outcome was posted within ' || p.timeout || case when p.expires_at > p.parked_at + p.timeout
                  then ' after the latest heartbeat' else '' end
            from due d
            where twinbell.same(p.task_id, d.task_id) and twinbell.same(p.fire_time, d.fire_time)
              and p.attempt = d.attempt and p.answer is null""";

    private static final String ANSWERS = """
            select task_id, twinbell.millis(fire_time), attempt,
                   (extract(epoch from answered_at) * 1000000)::bigint, answer, output, error, error_code
            from twinbell.parked where over_at is null and answer is not null order by answered_at limit ?""";

    private static final String TO_ADOPT = """
            from twinbell.parked p join twinbell.execution e on twinbell.same(e.task_id, p.task_id)
              and twinbell.same(e.fire_time, p.fire_time) and e.attempt = p.attempt and e.state || '' in ('CLAIMED', 'RUNNING')
            where p.over_at is null and (p.is_out or p.answer is not null)
              and (e.epoch < ? or e.epoch = ? and p.answered_at < statement_timestamp() - interval '10 seconds')""";

    /**
     * Asked first, because planning the join with every partition of the ledger takes far longer, and would delay each
     * promotion.
     */
    private static final String HAS_OPEN = """
            select exists (select 1 from twinbell.parked where over_at is null and answer is null)
              or exists (select 1 from twinbell.parked where over_at is null and answer is not null)""";

    private static final String TASKS_TO_ADOPT = "select distinct p.task_id " + TO_ADOPT;

    /**
     * Makes the claim one of the current epoch, so that the ledger shows the epoch whose master is responsible for it.
     */
    private static final String ADOPT = "with " + EpochGuard.OF_THE_OWNER
            + String.format(Locale.ROOT, """
            , wanted as materialized (
              select p.task_id, p.fire_time, p.attempt %s
                and exists (select 1 from authority) limit ?
            ), adopted as (
              update twinbell.execution e
              set epoch = ?, node = ?, batch = null, claimed_at = clock_timestamp(), changed = pg_current_xact_id(),
                  note = case when e.epoch = ? then e.note else left(concat_ws(E'\\n', e.note,
                    'attempt ' || e.attempt || ' of ' || e.node || ', epoch ' || e.epoch
                    || ', was taken over: its outcome comes from outside'), 4000) end
              from wanted w
              where twinbell.same(e.task_id, w.task_id) and twinbell.same(e.fire_time, w.fire_time)
                and e.attempt = w.attempt and e.epoch <= ? and e.state || '' in ('CLAIMED', 'RUNNING')
              returning e.*
            )
            select a.task_id, twinbell.millis(a.fire_time), a.app, a.name, a.attempt, a.epoch, a.node,
                   twinbell.run_definition(twinbell.full_definition(d.content, t.data, t.start_at, t.fire_at), a.parent, a.data),
                   a.in_turn, d.tags,
                   a.snoozes, twinbell.millis(a.snoozed_since) as snoozed_since, a.origin, a.reruns,
                   (extract(epoch from coalesce(a.started_at, a.fire_time)) * 1000000)::bigint as started
            from adopted a%s""", TO_ADOPT, ClaimColumns.task("a.task_id"));

    private static final String OPEN = """
            select p.task_id, twinbell.millis(p.fire_time)
            from unnest(?::bigint[], ?::bigint[]) as g(task_id, fire)
              join twinbell.parked p on twinbell.same(p.task_id, g.task_id)
                and twinbell.same(p.fire_time, twinbell.instant(g.fire))
            where p.over_at is null""";

    private static final String CLOSE = """
            update twinbell.parked p set over_at = clock_timestamp()
            where p.over_at is null %s and not exists (select 1 from twinbell.execution e
              where twinbell.same(e.task_id, p.task_id) and twinbell.same(e.fire_time, p.fire_time)
                and e.attempt = p.attempt and e.state || '' in ('CLAIMED', 'RUNNING'))""";

    private static final String CLOSE_ANSWERED = String.format(Locale.ROOT, CLOSE, "and p.answer is not null");
    private static final String CLOSE_ALL = String.format(Locale.ROOT, CLOSE, "");

    private static final String FORGET = """
            delete from twinbell.parked where (task_id, fire_time, attempt) in (
              select task_id, fire_time, attempt from twinbell.parked
              where over_at < statement_timestamp() - ? * interval '1 ms' limit 5000)""";

    private final DedicatedConnection connection;
    private final PackedSlots batches;

    public JdbcCallbackStore(DedicatedConnection connection, PackedSlots batches) {
        this.connection = connection;
        this.batches = batches;
    }

    @Override
    public Optional<Map<Slot, Optional<String>>> park(Epoch epoch, List<CallbackRequest> requests) {
        return connection.run(c -> {
            batches.unpack(c, requests.stream().map(CallbackRequest::slot).toList());
            Optional<Map<Slot, Optional<String>>> parked = park(c, epoch, requests);
            if (parked.isEmpty() || parked.get().size() == requests.size()) {
                return parked;
            }
            // A batch that this process does not know: a slot without a row may be in it.
            PackedSlots.unpackBatchesOf(
                    c, requests.stream().mapToLong(r -> r.slot().taskId()).toArray());
            return park(c, epoch, requests);
        });
    }

    private static Optional<Map<Slot, Optional<String>>> park(Connection c, Epoch epoch, List<CallbackRequest> requests)
            throws SQLException {
        try (PreparedStatement statement = c.prepareStatement(PARK)) {
            int next = new ColumnArrays<>(statement, EpochGuard.bind(statement, 1, epoch), requests)
                    .slots(CallbackRequest::slot)
                    .longs(CallbackRequest::attempt)
                    .longs(CallbackRequest::startedMicros)
                    .texts(CallbackRequest::tokenHash)
                    .longs(CallbackRequest::timeoutMillis)
                    .next();
            statement.setLong(next, epoch.number());
            boolean isAuthorised = false;
            Map<Slot, Optional<String>> parked = new HashMap<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    long task = rows.getLong(1);
                    if (rows.wasNull()) {
                        isAuthorised = rows.getLong(4) > 0;
                    } else {
                        parked.put(new Slot(task, rows.getLong(2)), Optional.ofNullable(rows.getString(3)));
                    }
                }
            }
            return isAuthorised ? Optional.of(parked) : Optional.empty();
        }
    }

    @Override
    public boolean recordAccepted(Epoch epoch, Map<Slot, Integer> attempts) {
        List<Map.Entry<Slot, Integer>> given = List.copyOf(attempts.entrySet());
        return connection.run(RECORD_ACCEPTED, statement -> {
            new ColumnArrays<>(statement, EpochGuard.bind(statement, 1, epoch), given)
                    .slots(Map.Entry::getKey)
                    .longs(Map.Entry::getValue);
            return Rows.only(statement, row -> row.getLong(1) > 0);
        });
    }

    @Override
    public Set<Slot> answer(Epoch epoch, List<OwnAnswer> answers) {
        return connection.run(c -> {
            Set<Slot> set = setAnswers(c, epoch, answers);
            List<OwnAnswer> others =
                    answers.stream().filter(own -> !set.contains(own.slot())).toList();
            return others.isEmpty() ? Set.<Slot>of() : answeredBefore(c, others);
        });
    }

    private static Set<Slot> setAnswers(Connection c, Epoch epoch, List<OwnAnswer> answers) throws SQLException {
        try (PreparedStatement statement = c.prepareStatement(ANSWER)) {
            new ColumnArrays<>(statement, EpochGuard.bind(statement, 1, epoch), answers)
                    .slots(OwnAnswer::slot)
                    .longs(OwnAnswer::attempt)
                    .texts(own -> own.outcome().state().name())
                    .handlerTexts(own -> own.outcome().output())
                    .handlerTexts(own -> own.outcome().error())
                    .texts(own -> own.outcome().errorCode());
            return Rows.set(statement, ClaimColumns::slot);
        }
    }

    private static Set<Slot> answeredBefore(Connection c, List<OwnAnswer> answers) throws SQLException {
        try (PreparedStatement statement = c.prepareStatement(ANSWERED)) {
            new ColumnArrays<>(statement, 1, answers).slots(OwnAnswer::slot).longs(OwnAnswer::attempt);
            return Rows.set(statement, ClaimColumns::slot);
        }
    }

    @Override
    public int expire(Epoch epoch, int limit) {
        return connection.run(EXPIRE, statement -> {
            statement.setInt(EpochGuard.bind(statement, 1, epoch), limit);
            return statement.executeUpdate();
        });
    }

    @Override
    public List<CallbackAnswer> answers(int limit) {
        return connection.run(ANSWERS, statement -> {
            statement.setInt(1, limit);
            return Rows.all(
                    statement,
                    row -> new CallbackAnswer(
                            ClaimColumns.slot(row),
                            row.getInt(3),
                            row.getLong(4),
                            new CallbackAnswer.Outcome(
                                    ExecutionState.valueOf(row.getString(5)),
                                    row.getString(6),
                                    row.getString(7),
                                    row.getString(8))));
        });
    }

    @Override
    public Set<Long> tasksToAdopt(Epoch epoch) {
        return connection.run(c -> {
            if (!hasOpen(c)) {
                return Set.of();
            }
            try (PreparedStatement statement = c.prepareStatement(TASKS_TO_ADOPT)) {
                statement.setLong(1, epoch.number());
                statement.setLong(2, epoch.number());
                return Rows.set(statement, row -> row.getLong(1));
            }
        });
    }

    private static boolean hasOpen(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(HAS_OPEN)) {
            return Rows.only(statement, row -> row.getBoolean(1));
        }
    }

    @Override
    public List<AdoptedAttempt> adopt(Epoch epoch, int limit) {
        return connection.run(ADOPT, statement -> {
            int next = EpochGuard.bind(statement, 1, epoch);
            statement.setLong(next++, epoch.number());
            statement.setLong(next++, epoch.number());
            statement.setInt(next++, limit);
            statement.setLong(next++, epoch.number());
            statement.setString(next++, epoch.node());
            statement.setLong(next++, epoch.number());
            statement.setLong(next, epoch.number());
            return Rows.all(statement, row -> new AdoptedAttempt(ClaimColumns.attempt(row), row.getLong("started")));
        });
    }

    @Override
    public Set<Slot> open(Collection<Slot> slots) {
        List<Slot> asked = List.copyOf(slots);
        return connection.run(OPEN, statement -> {
            new ColumnArrays<>(statement, 1, asked).slots(slot -> slot);
            return Rows.set(statement, ClaimColumns::slot);
        });
    }

    @Override
    public void close(boolean alsoUnanswered, Duration keep) {
        connection.run(alsoUnanswered ? CLOSE_ALL : CLOSE_ANSWERED, PreparedStatement::executeUpdate);
        if (alsoUnanswered) {
            connection.run(FORGET, statement -> {
                statement.setLong(1, keep.toMillis());
                return statement.executeUpdate();
            });
        }
    }
}
