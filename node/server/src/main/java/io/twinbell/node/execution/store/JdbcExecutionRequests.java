package io.twinbell.node.execution.store;

import io.twinbell.persistence.database.Conditions;
import io.twinbell.persistence.database.Rows;
import io.twinbell.persistence.database.Transactions;
import io.twinbell.persistence.ledger.Slot;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import javax.sql.DataSource;

/** Writes requests as rows in PostgreSQL, which the master finds. */
public final class JdbcExecutionRequests implements ExecutionRequests {
    private static final int BATCH = 500;

    private static final String WISH = """
            insert into twinbell.cancel_request (task_id, fire_time, reason)
            values (?, twinbell.instant(?), ?) on conflict do nothing""";

    private static final String RERUN = """
            with w as (select e.task_id, e.fire_time from twinbell.execution e%s for update)
            select twinbell.rerun_slots(array_agg(w.task_id), array_agg(w.fire_time), ?) from w""";

    /** A slot that the task will still claim itself is not entered. The task is locked against a concurrent claim. */
    private static final String TO_BACKFILL = """
            with owner as (
              select t.id, t.app, t.name, s.next_fire_time from twinbell.task t join twinbell.task_state s on s.task_id = t.id
              where t.id = ? for share of s
            ), wanted as (
              select o.id, o.app, o.name, twinbell.instant(f.millis) as at
              from owner o cross join unnest(?::bigint[]) as f(millis)
              where (o.next_fire_time is null or twinbell.instant(f.millis) < o.next_fire_time)
                and not twinbell.is_in_batch(o.id, twinbell.instant(f.millis))
                and not exists (select 1 from twinbell.execution e where e.task_id = o.id
                  and e.fire_time <= twinbell.instant(f.millis)
                  and coalesce(e.until_fire_time, e.fire_time) >= twinbell.instant(f.millis))
            )""";

    private static final String PREVIEW_BACKFILL = TO_BACKFILL + " select twinbell.millis(at) from wanted order by at";
    private static final String BACKFILL = TO_BACKFILL + """
            , entered as (
              insert into twinbell.execution (task_id, fire_time, app, name, state, reason, origin, in_turn, due_at)
              select id, at, app, name, 'PENDING', ?, 'BACKFILLED', true,
                     clock_timestamp() + (row_number() over (order by at) - 1) * ? * interval '1 millisecond'
              from wanted order by at
              on conflict do nothing returning fire_time
            )
            select twinbell.millis(fire_time) from entered order by fire_time""";

    private static final String AUDIT_BACKFILL = """
            select twinbell.audit_act('TASK', t.id::text, t.app, t.name, 'BACKFILL', jsonb_build_object('slots', ?::integer,
              'from', twinbell.instant_text(twinbell.instant(?)), 'until', twinbell.instant_text(twinbell.instant(?)),
              'reason', ?::text), ?)
            from twinbell.task t where t.id = ?""";

    private static final String CANCEL_BACKFILL = """
            insert into twinbell.cancel_request (task_id, fire_time, reason)
            select task_id, fire_time, ? from twinbell.execution
            where task_id = ? and origin in ('BACKFILLED', 'CAUGHT_UP') and state = 'PENDING'
            on conflict do nothing""";

    private static final String CAN_RERUN = """
            e.state in ('SUCCEEDED', 'FAILED', 'TIMED_OUT', 'CANCELLED', 'SKIPPED', 'MISSED', 'DROPPED')
              and e.slots = 1 and exists (select 1 from twinbell.task t where t.id = e.task_id)""";

    private final Transactions transactions;
    private final ExecutionQueries queries;

    public JdbcExecutionRequests(DataSource pool) {
        this(new Transactions(pool));
    }

    public JdbcExecutionRequests(Transactions transactions) {
        this.transactions = transactions;
        queries = new JdbcExecutionQueries(transactions);
    }

    @Override
    public Optional<Answer> cancel(Slot slot, String reason) {
        Optional<Execution> found = queries.find(slot);
        boolean isUnfinished = found.isPresent() && !found.get().state().isFinal();
        if (isUnfinished) {
            transactions.run("request a cancellation", connection -> request(connection, slot, reason));
        }
        return found.map(
                execution -> new Answer(isUnfinished ? null : "it has ended: " + execution.state(), execution));
    }

    private static Void request(Connection connection, Slot slot, String reason) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(WISH)) {
            statement.setLong(1, slot.taskId());
            statement.setLong(2, slot.fireTimeMillis());
            statement.setString(3, reason);
            statement.executeUpdate();
        }
        JdbcExecutionQueries.wakeMaster(connection);
        return null;
    }

    @Override
    public Optional<Answer> rerun(Slot slot, String reason) {
        int changed = transactions.run("run an execution again", connection -> {
            Conditions ofSlot = new Conditions()
                    .and("e.task_id = ?", slot.taskId())
                    .and("e.fire_time = twinbell.instant(?)", slot.fireTimeMillis())
                    .and(CAN_RERUN);
            return rerun(connection, ofSlot.where(), ofSlot, reason);
        });
        return queries.find(slot).map(execution -> new Answer(changed == 1 ? null : refusal(execution), execution));
    }

    private static String refusal(Execution execution) {
        if (!execution.state().isFinal()) {
            return "it has not ended: " + execution.state();
        }
        return execution.slots().count() > 1
                ? "it represents " + execution.slots().count() + " slots"
                : "its task was removed";
    }

    @Override
    public int rerunAll(ExecutionFilter filter, String reason, int limit) {
        // Executions that fail again meanwhile are not rerun a second time.
        long began = transactions.run("read the clock", JdbcExecutionRequests::nowMillis);
        int all = 0;
        int last = BATCH;
        while (last == BATCH && all < limit) {
            int batch = Math.min(BATCH, limit - all);
            last = transactions.run(
                    "run executions again", connection -> rerun(connection, before(filter, began), reason, batch));
            all += last;
        }
        return all;
    }

    private static Conditions before(ExecutionFilter filter, long endedByMillis) {
        return ExecutionConditions.of(filter)
                .and(CAN_RERUN)
                .and("(e.ended_at is null or e.ended_at <= twinbell.instant(?))", endedByMillis);
    }

    private static long nowMillis(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("select twinbell.now_millis()")) {
            return Rows.only(statement, row -> row.getLong(1));
        }
    }

    /** Locks rows in key order, so that two concurrent calls do not deadlock. */
    private static int rerun(Connection connection, Conditions conditions, String reason, int limit)
            throws SQLException {
        String oldest = " order by e.fire_time, e.task_id limit " + limit;
        return rerun(connection, conditions.where() + oldest, conditions, reason);
    }

    private static int rerun(Connection connection, String selection, Conditions conditions, String reason)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(String.format(Locale.ROOT, RERUN, selection))) {
            statement.setString(conditions.bind(statement), reason);
            return Rows.only(statement, row -> row.getInt(1));
        }
    }

    @Override
    public Optional<List<Long>> backfill(long taskId, List<Long> fireMillis, Backfill backfill) {
        return transactions.run("backfill a task", connection -> {
            if (!exists(connection, taskId)) {
                return Optional.empty();
            }
            String sql = backfill.dryRun() ? PREVIEW_BACKFILL : BACKFILL;
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                statement.setLong(1, taskId);
                statement.setArray(2, connection.createArrayOf("bigint", fireMillis.toArray()));
                if (!backfill.dryRun()) {
                    statement.setString(3, backfill.reason());
                    statement.setLong(4, backfill.pace().toMillis());
                }
                List<Long> entered = Rows.all(statement, row -> row.getLong(1));
                if (!backfill.dryRun() && !entered.isEmpty()) {
                    audit(connection, taskId, entered, backfill.reason());
                    JdbcExecutionQueries.wakeMaster(connection);
                }
                return Optional.of(entered);
            }
        });
    }

    /** One entry for all slots, of which there may be thousands. */
    private static void audit(Connection connection, long taskId, List<Long> entered, String reason)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(AUDIT_BACKFILL)) {
            statement.setInt(1, entered.size());
            statement.setLong(2, entered.get(0));
            statement.setLong(3, entered.get(entered.size() - 1));
            statement.setString(4, reason);
            statement.setInt(5, entered.size());
            statement.setLong(6, taskId);
            statement.execute();
        }
    }

    private static boolean exists(Connection connection, long taskId) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("select 1 from twinbell.task where id = ? for key share")) {
            statement.setLong(1, taskId);
            return Rows.isAny(statement);
        }
    }

    @Override
    public int cancelBackfill(long taskId, String reason) {
        return transactions.run("cancel a backfill", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(CANCEL_BACKFILL)) {
                statement.setString(1, reason);
                statement.setLong(2, taskId);
                int rows = statement.executeUpdate();
                JdbcExecutionQueries.wakeMaster(connection);
                return rows;
            }
        });
    }
}
