package io.twinbell.persistence.ledger.record;

import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.database.Rows;
import io.twinbell.persistence.database.SqlWork;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.epoch.EpochGuard;
import io.twinbell.persistence.ledger.ColumnArrays;
import io.twinbell.persistence.ledger.Completion;
import io.twinbell.persistence.ledger.FailureStreaks;
import io.twinbell.persistence.ledger.PackedSlots;
import io.twinbell.persistence.ledger.Reschedule;
import io.twinbell.persistence.ledger.Slot;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Records completions in PostgreSQL, one statement per batch. */
public final class JdbcRecorder implements Recorder {
    private static final String DONE = """
            done as (
              select task_id, twinbell.instant(fire) as fire_time, attempt, state,
                     to_timestamp(nullif(started, 9223372036854775807) / 1000000.0::float8) as started_at,
                     to_timestamp(nullif(ended, 9223372036854775807) / 1000000.0::float8) as ended_at, output, error, code, reason,
                     twinbell.instant(nullif(due, 9223372036854775807)) as due_at, failure
              from unnest(?::bigint[], ?::bigint[], ?::bigint[], ?::text[], ?::bigint[], ?::bigint[],
                          ?::text[], ?::text[], ?::text[], ?::text[], ?::bigint[], ?::text[])
                as d(task_id, fire, attempt, state, started, ended, output, error, code, reason, due, failure)
            )""";

    /** The condition on the state is written so that the planner does not use an index of unfinished rows. */
    private static final String RECORD = "with " + EpochGuard.ALSO_WHILE_DRAINING + ", " + DONE + """
            , recorded as (
              update twinbell.execution e
              set state = d.state, started_at = d.started_at, ended_at = d.ended_at, output = d.output,
                  error = d.error, error_code = d.code, changed = pg_current_xact_id(), due_at = d.due_at,
                  snoozes = case when d.failure = 'SNOOZED' then coalesce(e.snoozes, 0) + 1 else e.snoozes end,
                  snoozed_since = case when d.failure = 'SNOOZED' then coalesce(e.snoozed_since, d.ended_at)
                    else e.snoozed_since end,
                  reason = case when d.failure = 'SNOOZED' then e.reason
                    when starts_with(e.reason, 'IN_DOUBT: ') and d.reason is not null then e.reason || '; ' || d.reason
                    else coalesce(d.reason, e.reason) end,
                  attempts = case when d.failure is null then e.attempts
                    else twinbell.with_attempt(e.attempts, e.attempt, d.failure, e.node, e.epoch, d.started_at, d.ended_at,
                                               d.error, d.code, case when d.failure = 'SNOOZED' then d.reason end) end
              from done d
              where twinbell.same(e.task_id, d.task_id) and twinbell.same(e.fire_time, d.fire_time)
                and e.attempt = d.attempt and e.epoch = ?
                and e.state || '' in ('CLAIMED', 'RUNNING') and exists (select 1 from authority)
              returning d.due_at
            ), notified as (
              -- Also another node's master: a draining one leaves its retries to it.
              select pg_notify('twinbell_ledger', '') from recorded where due_at is not null limit 1
            )
            select (select count(*) from authority), (select count(*) from recorded), (select count(*) from notified)""";

    /** Several executions of one task in a batch get consecutive places. */
    private static final String QUEUE = "with " + EpochGuard.ALSO_WHILE_DRAINING + """
            , wanted as (
              select q.*, twinbell.instant(fire) as fire_time, row_number() over (partition by task_id order by fire)
                + (select count(*) from twinbell.execution w where w.task_id = q.task_id and w.state = 'PENDING' and w.queued)
                as place
              from unnest(?::bigint[], ?::bigint[], ?::bigint[], ?::bigint[]) as q(task_id, fire, attempt, most)
              where exists (select 1 from authority)
            ), queued as (
              update twinbell.execution e
              set state = case when w.place <= w.most then 'PENDING' else 'SKIPPED' end,
                  in_turn = w.place <= w.most, queued = w.place <= w.most,
                  epoch = case when w.place > w.most then e.epoch end, node = case when w.place > w.most then e.node end,
                  batch = null, claimed_at = case when w.place > w.most then e.claimed_at end,
                  ended_at = case when w.place > w.most then clock_timestamp() end,
                  reason = case when w.place <= w.most then e.reason
                    else 'an earlier execution of this task was still running, and ' || w.most || ' waited already' end
              from wanted w
              where twinbell.same(e.task_id, w.task_id) and twinbell.same(e.fire_time, w.fire_time)
                and e.attempt = w.attempt and e.epoch = ?
                and e.state || '' in ('CLAIMED', 'RUNNING') and not e.queued
              returning 1
            )
            select (select count(*) from authority), (select count(*) from queued)""";

    private static final String RECORD_WAITS = "with " + EpochGuard.ALSO_WHILE_DRAINING + """
            , held as (
              update twinbell.execution e
              set state = 'PENDING', in_turn = e.in_turn or e.attempt > 1, epoch = null, node = null, batch = null,
                  claimed_at = null, held_by = h.key
              from unnest(?::bigint[], ?::bigint[], ?::bigint[], ?::text[]) as h(task_id, fire, attempt, key)
              where twinbell.same(e.task_id, h.task_id) and twinbell.same(e.fire_time, twinbell.instant(h.fire))
                and e.attempt = h.attempt
                and e.epoch = ? and e.state || '' = 'CLAIMED' and exists (select 1 from authority)
              returning 1
            )
            select (select count(*) from authority), (select count(*) from held)""";

    private static final String NOTE = "with " + DONE + """
            update twinbell.execution e
            set note = left(concat_ws(E'\\n', e.note, 'attempt ' || d.attempt || ' ended after its epoch was superseded: '
                || d.state || coalesce(' at ' || d.ended_at, '') || coalesce(', ' || d.error, '')), 4000)
            from done d
            where twinbell.same(e.task_id, d.task_id) and twinbell.same(e.fire_time, d.fire_time)
              and (e.attempt <> d.attempt or e.state <> d.state)""";

    /**
     * A change of the epoch row waits for this transaction, which holds a share lock on it. So a transaction records
     * only this many completions, with two statements each.
     */
    private static final int COUNTED_AT_ONCE = 10;

    private static final String HURRY = "set lock_timeout = 200; set statement_timeout = 1500";
    /** Not {@code reset}: behind a pooler the session has got its limits by {@code set}, and would lose them. */
    private static final String USUAL_LIMITS = """
            select format('set lock_timeout = %L; set statement_timeout = %L',
                          current_setting('lock_timeout'), current_setting('statement_timeout'))""";

    private final DedicatedConnection connection;
    private final PackedSlots batches;
    private final boolean isHurried;

    public JdbcRecorder(DedicatedConnection connection, PackedSlots batches) {
        this(connection, batches, false);
    }

    private JdbcRecorder(DedicatedConnection connection, PackedSlots batches, boolean isHurried) {
        this.connection = connection;
        this.batches = batches;
        this.isHurried = isHurried;
    }

    @Override
    public Recorder hurried() {
        return new JdbcRecorder(connection, batches, true);
    }

    private <T> T run(SqlWork<T> work) {
        return connection.run(c -> inTime(c, work));
    }

    private <T> T transaction(SqlWork<T> work) {
        return connection.transaction(c -> inTime(c, work));
    }

    /** A failure closes the connection, and its replacement has the usual time limits. */
    private <T> T inTime(Connection c, SqlWork<T> work) throws SQLException {
        if (!isHurried) {
            return work.with(c);
        }
        try (Statement statement = c.createStatement()) {
            String asUsual = usualLimits(statement);
            statement.execute(HURRY);
            T result;
            try {
                result = work.with(c);
            } catch (RuntimeException e) {
                statement.execute(asUsual);
                throw e;
            }
            statement.execute(asUsual);
            return result;
        }
    }

    private static String usualLimits(Statement statement) throws SQLException {
        try (ResultSet row = statement.executeQuery(USUAL_LIMITS)) {
            row.next();
            return row.getString(1);
        }
    }

    @Override
    public List<Completion> record(Epoch epoch, List<Completion> completions) {
        List<Completion> refused = new ArrayList<>();
        Map<Boolean, List<Completion>> byCounting =
                inRows(epoch, completions, refused).stream().collect(Collectors.partitioningBy(FailureStreaks::counts));
        List<Completion> together = byCounting.get(false);
        if (!together.isEmpty() && !recordTogether(epoch, together)) {
            refused.addAll(together);
        }
        List<Completion> counted = byCounting.get(true);
        for (int from = 0; from < counted.size(); from += COUNTED_AT_ONCE) {
            List<Completion> some = counted.subList(from, Math.min(counted.size(), from + COUNTED_AT_ONCE));
            if (!recordCounting(epoch, some)) {
                refused.addAll(some);
            }
        }
        return refused;
    }

    @Override
    public void recordNothing(Completion nothing) {
        PackedSlots.Batch none = new PackedSlots.Batch(nothing.epoch(), 0, List.of(nothing.slot()));
        run(c -> PackedRecords.record(c, nothing.epoch(), Map.of(nothing, none), batches));
    }

    /** Records completions whose slots were claimed in batches; returns the completions whose slots have rows now. */
    private List<Completion> inRows(Epoch epoch, List<Completion> completions, List<Completion> refused) {
        Map<Completion, PackedSlots.Batch> inBatches = new IdentityHashMap<>();
        List<Completion> inRows = new ArrayList<>();
        for (Completion completion : completions) {
            PackedSlots.Batch batch = PackedRecords.isPlain(completion) ? batches.of(epoch, completion.slot()) : null;
            if (batch == null) {
                inRows.add(completion);
            } else {
                inBatches.put(completion, batch);
            }
        }
        if (!inBatches.isEmpty()) {
            PackedRecords.InsertResult written = run(c -> PackedRecords.record(c, epoch, inBatches, batches));
            (written.isAuthorised() ? inRows : refused).addAll(written.left());
        }
        unpack(inRows, Completion::slot);
        return inRows;
    }

    private <T> void unpack(List<T> some, Function<T, Slot> slot) {
        if (!some.isEmpty()) {
            run(c -> {
                batches.unpack(c, some.stream().map(slot).toList());
                return null;
            });
        }
    }

    private boolean recordTogether(Epoch epoch, List<Completion> completions) {
        boolean isAnyFollowed =
                completions.stream().anyMatch(completion -> completion.nextMillis() != Completion.NOT_FOLLOWED);
        return isAnyFollowed
                ? transaction(c -> recordAgain(c, epoch, completions))
                : run(c -> updateWherever(c, epoch, completions).isAuthorised());
    }

    private boolean recordCounting(Epoch epoch, List<Completion> completions) {
        return transaction(c -> {
            boolean may = count(c, epoch, completions);
            if (may) {
                reschedule(c, epoch, completions);
            }
            return may;
        });
    }

    /** Records completions again in a server that lacks them; returns whether the epoch may write. */
    public static boolean recordAgain(Connection c, Epoch epoch, List<Completion> completions) throws SQLException {
        boolean may = updateWherever(c, epoch, completions).isAuthorised();
        if (may) {
            reschedule(c, epoch, completions);
        }
        return may;
    }

    private static void reschedule(Connection c, Epoch epoch, List<Completion> completions) throws SQLException {
        Reschedule.run(c, epoch, completions, completion -> completion.slot().taskId(), Completion::nextMillis);
    }

    /** Records one completion at a time: the order of the ends matters, and each counts once. */
    private static boolean count(Connection c, Epoch epoch, List<Completion> completions) throws SQLException {
        boolean authorised = true;
        for (Completion completion : completions) {
            RecordResult recordResult = updateWherever(c, epoch, List.of(completion));
            authorised &= recordResult.isAuthorised();
            if (recordResult.rows() > 0) {
                FailureStreaks.count(c, completion);
            }
        }
        FailureStreaks.pause(c, epoch);
        return authorised;
    }

    @Override
    public boolean queue(Epoch epoch, List<OverlapQueue> queueing) {
        unpack(queueing, OverlapQueue::slot);
        return run(c -> {
            try (PreparedStatement statement = c.prepareStatement(QUEUE)) {
                int next = new ColumnArrays<>(statement, EpochGuard.bind(statement, 1, epoch), queueing)
                        .slots(OverlapQueue::slot)
                        .longs(OverlapQueue::attempt)
                        .longs(OverlapQueue::max)
                        .next();
                statement.setLong(next, epoch.number());
                return Rows.only(statement, row -> row.getLong(1) == 1);
            }
        });
    }

    @Override
    public boolean recordWaits(Epoch epoch, List<LedgerWait> held) {
        unpack(held, LedgerWait::slot);
        return run(c -> {
            try (PreparedStatement statement = c.prepareStatement(RECORD_WAITS)) {
                int next = new ColumnArrays<>(statement, EpochGuard.bind(statement, 1, epoch), held)
                        .slots(LedgerWait::slot)
                        .longs(LedgerWait::attempt)
                        .texts(LedgerWait::limitKey)
                        .next();
                statement.setLong(next, epoch.number());
                return Rows.only(statement, row -> row.getLong(1) == 1);
            }
        });
    }

    /**
     * The result of the statement.
     *
     * @param rows how many completions were recorded; the others were recorded before, or their claim was settled
     */
    public record RecordResult(boolean isAuthorised, int rows) {}

    /**
     * Records completions, whether their claims have rows or are in batches. A claim without a row may belong to a
     * batch that this process does not know. Another process may unpack that batch between the update and the lookup,
     * so the update runs a second time.
     */
    static RecordResult updateWherever(Connection c, Epoch epoch, List<Completion> completions) throws SQLException {
        RecordResult recordResult = update(c, epoch, completions);
        boolean isAll = !recordResult.isAuthorised() || recordResult.rows() == completions.size();
        long[] tasks =
                completions.stream().mapToLong(done -> done.slot().taskId()).toArray();
        if (isAll) {
            return recordResult;
        }
        PackedSlots.unpackBatchesOf(c, tasks);
        RecordResult others = update(c, epoch, completions);
        return new RecordResult(others.isAuthorised(), recordResult.rows() + others.rows());
    }

    /** Records completions of claims that have rows. */
    public static RecordResult update(Connection c, Epoch epoch, List<Completion> completions) throws SQLException {
        try (PreparedStatement statement = c.prepareStatement(RECORD)) {
            int next = bindDone(statement, EpochGuard.bind(statement, 1, epoch), completions);
            statement.setLong(next, epoch.number());
            return Rows.only(statement, row -> new RecordResult(row.getLong(1) == 1, row.getInt(2)));
        }
    }

    @Override
    public void note(List<Completion> late) {
        unpack(late, Completion::slot);
        run(c -> {
            try (PreparedStatement statement = c.prepareStatement(NOTE)) {
                bindDone(statement, 1, late);
                return statement.executeUpdate();
            }
        });
    }

    private static int bindDone(PreparedStatement statement, int index, List<Completion> done) throws SQLException {
        return new ColumnArrays<>(statement, index, done)
                .slots(Completion::slot)
                .longs(Completion::attempt)
                .texts(d -> d.state().name())
                .longs(d -> d.run().startedMicros())
                .longs(d -> d.run().endedMicros())
                .handlerTexts(d -> d.text().output())
                .handlerTexts(d -> d.text().error())
                .texts(d -> d.text().errorCode())
                .handlerTexts(d -> d.text().reason())
                .longs(d -> d.retry() == null ? Long.MAX_VALUE : d.retry().dueMillis())
                .texts(d -> d.retry() == null ? null : d.retry().attemptState())
                .next();
    }
}
