package io.twinbell.node.execution.store;

import io.twinbell.node.execution.store.ExecutionQueries.ExecutionPage;
import io.twinbell.node.execution.store.ExecutionQueries.ExecutionStatistics;
import io.twinbell.persistence.database.Conditions;
import io.twinbell.persistence.database.Rows;
import io.twinbell.persistence.database.Transactions;
import io.twinbell.persistence.ledger.AttemptReport;
import io.twinbell.persistence.ledger.ExecutionState;
import io.twinbell.persistence.ledger.Slot;
import io.twinbell.persistence.task.TaskRow;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.LongPredicate;
import javax.sql.DataSource;

/** Queries the ledger in PostgreSQL. */
public final class JdbcExecutionQueries implements ExecutionQueries {
    private static final String REASON = """
            nullif(concat_ws('; ', reason, case
              when held_by like E'\\x01handler:%'
              then 'waits for a master that has a java handler under the key "' || substr(held_by, 10) || '"'
              when held_by like E'\\x01quota:%' then 'waits because the app has used its quotas.firesPerMinute'
              else 'waits for room under the limit "' || held_by || '"' end), '')""";

    private static final String CALLBACK = """
            case when state = 'RUNNING' then (
              select twinbell.millis(p.expires_at) from twinbell.parked p
              where p.task_id = execution.task_id and p.fire_time = execution.fire_time
                and p.attempt = execution.attempt and p.is_out and p.answer is null and p.over_at is null) end""";

    private static final String COLUMNS = """
            task_id, twinbell.millis(fire_time), twinbell.millis(until_fire_time), slots, app, name, state, attempt,
            node, epoch, twinbell.millis(claimed_at), twinbell.millis(started_at), twinbell.millis(ended_at),
            """ + REASON + ", note, origin, twinbell.millis(due_at), error_code, snoozes";
    private static final String FROM = " from twinbell.execution";
    /** The columns of {@link #read}, with nulls for the long texts. */
    static final String BRIEF_COLUMNS =
            COLUMNS + ", null, null, null, progress, progress_message, null, null, coalesce(reruns, 0), " + CALLBACK;

    private static final String ALONE = "select " + COLUMNS
            + ", output, error, attempts, progress, progress_message, log, checkpoint, coalesce(reruns, 0), " + CALLBACK
            + FROM;
    /** A slot that was claimed in a batch and has no row yet. */
    private static final String IN_BATCH = """
            select b.task_id, ?::bigint, null, 1, coalesce(t.app, r.app), coalesce(t.name, r.name), 'CLAIMED', 1,
                   b.node, b.epoch, twinbell.millis(b.claimed_at), null, null, null, null, null, null, null, null, null,
                   null, null, null, null, null, null, null, null
            from twinbell.batch_claim b left join twinbell.task t on t.id = b.task_id
            left join twinbell.removed_task r on r.task_id = b.task_id
            where b.task_id = ? and b.fire_time = twinbell.instant(?)""";

    /** Without earlier attempts: a page of long histories would have no bound. */
    private static final String WHOLE = "select " + COLUMNS
            + ", output, error, null, progress, progress_message, log, null, coalesce(reruns, 0), " + CALLBACK + FROM;

    private static final String BRIEF = "select " + BRIEF_COLUMNS + FROM;
    private static final String RELEASE = """
            insert into twinbell.release_request (task_id, fire_time, reason)
            values (?, twinbell.instant(?), ?) on conflict do nothing""";
    private static final String KNOWS = """
            select exists (select 1 from twinbell.task where id = ?)
              or exists (select 1 from twinbell.removed_task where task_id = ?)
              or exists (select 1 from twinbell.execution where task_id = ?)""";
    private static final int LONGEST_QUESTION_MILLIS = 20_000;
    private static final int FREE_AT_ONCE = 10;
    /**
     * Bound on the search for a free millisecond. Only an instant that is taken concurrently, or that the schedule
     * plans, costs a try.
     */
    private static final int MOST_TRIES = 1000;

    private static final String MEAN_RUNS = """
            select task_id, round(extract(epoch from avg(ended_at - started_at)) * 1000)::bigint as mean
            from twinbell.execution
            where fire_time >= twinbell.instant(?) and state = 'SUCCEEDED' and started_at is not null
            group by task_id order by mean desc limit ?""";

    private static final String LAST_OUTCOMES = """
            select t.id, e.state
            from unnest(?::bigint[]) as t (id) cross join lateral (
              select state from twinbell.execution
              where task_id = t.id and state not in ('PENDING', 'CLAIMED', 'RUNNING')
              order by fire_time desc limit 1) e""";

    /** One row per state, and one row for all states together, whose state is null. */
    private static final String STATISTICS = """
            select state, count(*), sum(slots),
                   percentile_disc(0.5) within group (order by duration), percentile_disc(0.99) within group (order by duration), max(duration),
                   percentile_disc(0.5) within group (order by late), percentile_disc(0.99) within group (order by late), max(late)
            from (
              select state, slots, twinbell.millis(ended_at) - twinbell.millis(started_at) as duration,
                     case when (origin is null or origin = 'CHAINED') and reruns is null and attempt = 1
                       then twinbell.millis(started_at) - twinbell.millis(fire_time) end as late
              from twinbell.execution
              where task_id = ? and fire_time >= twinbell.instant(?) and fire_time < twinbell.instant(?)
            ) as own
            group by grouping sets ((state), ())
            order by state""";

    private static final String TRIGGER = """
            insert into twinbell.execution (task_id, fire_time, app, name, state, reason, origin, data)
            select id, at, app, name, 'PENDING', ?, 'TRIGGERED', ?::jsonb from twinbell.task, twinbell.instant(?) as at
            where id = ? and not twinbell.is_in_batch(id, at)
            on conflict (task_id, fire_time) do nothing""";

    private final Transactions transactions;

    public JdbcExecutionQueries(DataSource pool) {
        this(new Transactions(pool));
    }

    public JdbcExecutionQueries(Transactions transactions) {
        this.transactions = transactions;
    }

    @Override
    public Optional<Execution> find(Slot slot) {
        return transactions.run("read an execution", connection -> {
            Optional<Execution> found = find(connection, slot);
            if (found.isEmpty()) {
                found = findInBatch(connection, slot);
            }
            // The slot may have moved from the batch to the ledger between the two queries.
            return found.isEmpty() ? find(connection, slot) : found;
        });
    }

    private static Optional<Execution> findInBatch(Connection connection, Slot slot) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(IN_BATCH)) {
            statement.setLong(1, slot.fireTimeMillis());
            statement.setLong(2, slot.taskId());
            statement.setLong(3, slot.fireTimeMillis());
            return Rows.first(statement, JdbcExecutionQueries::read);
        }
    }

    @Override
    public Optional<String> waitedLimit(Slot slot) {
        return transactions.run("read what an execution waits for", connection -> {
            try (PreparedStatement statement = connection.prepareStatement("select held_by" + FROM
                    + " where task_id = ? and fire_time = twinbell.instant(?) and held_by is not null")) {
                statement.setLong(1, slot.taskId());
                statement.setLong(2, slot.fireTimeMillis());
                return Rows.first(statement, row -> row.getString(1));
            }
        });
    }

    @Override
    public boolean isWaitedFor(String limitKey) {
        return transactions.run("read whether executions wait for a limit", connection -> {
            try (PreparedStatement statement =
                    connection.prepareStatement("select exists (select 1 from twinbell.execution where held_by = ?)")) {
                statement.setString(1, limitKey);
                return Rows.only(statement, row -> row.getBoolean(1));
            }
        });
    }

    @Override
    public List<Execution> list(ExecutionFilter filter, ExecutionPage page) {
        Conditions conditions = ExecutionConditions.of(filter);
        if (page.after() != null) {
            conditions.and(
                    "(fire_time, task_id) " + (page.oldestFirst() ? ">" : "<") + " (twinbell.instant(?), ?)",
                    page.after().fireTimeMillis(),
                    page.after().taskId());
        }
        String direction = page.oldestFirst() ? "" : " desc";
        String tail = " order by fire_time" + direction + ", task_id" + direction + " limit " + page.limit();
        return transactions.run("list executions", connection -> {
            boundTime(connection);
            return read(connection, page.brief() ? BRIEF : WHOLE, conditions, tail);
        });
    }

    /** A query that no index serves must not continue in the server after its caller has given up. */
    private static void boundTime(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("set local statement_timeout = " + LONGEST_QUESTION_MILLIS);
        }
    }

    @Override
    public boolean knows(long taskId) {
        return transactions.run("find a task", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(KNOWS)) {
                statement.setLong(1, taskId);
                statement.setLong(2, taskId);
                statement.setLong(3, taskId);
                return Rows.only(statement, row -> row.getBoolean(1));
            }
        });
    }

    @Override
    public ExecutionStatistics statistics(long taskId, long fromMillis, long untilMillis) {
        return transactions.run("count executions", connection -> {
            boundTime(connection);
            try (PreparedStatement statement = connection.prepareStatement(STATISTICS)) {
                statement.setLong(1, taskId);
                statement.setLong(2, fromMillis);
                statement.setLong(3, untilMillis);
                List<ExecutionStatistics.Count> states = new ArrayList<>();
                try (ResultSet row = statement.executeQuery()) {
                    // The row for all states is last, because null sorts after every state.
                    while (row.next() && row.getString(1) != null) {
                        states.add(new ExecutionStatistics.Count(
                                ExecutionState.valueOf(row.getString(1)), row.getLong(2), row.getLong(3)));
                    }
                    return new ExecutionStatistics(states, percentiles(row, 4), percentiles(row, 7));
                }
            }
        });
    }

    private static ExecutionStatistics.Percentiles percentiles(ResultSet row, int column) throws SQLException {
        return new ExecutionStatistics.Percentiles(
                TaskRow.optional(row, column), TaskRow.optional(row, column + 1), TaskRow.optional(row, column + 2));
    }

    @Override
    public Map<Long, ExecutionState> lastOutcomes(Collection<Long> taskIds) {
        return transactions.run("read the last outcomes of tasks", connection -> {
            boundTime(connection);
            try (PreparedStatement statement = connection.prepareStatement(LAST_OUTCOMES)) {
                statement.setArray(1, connection.createArrayOf("bigint", taskIds.toArray()));
                Map<Long, ExecutionState> outcomes = new HashMap<>();
                try (ResultSet rows = statement.executeQuery()) {
                    while (rows.next()) {
                        outcomes.put(rows.getLong(1), ExecutionState.valueOf(rows.getString(2)));
                    }
                }
                return outcomes;
            }
        });
    }

    @Override
    public Map<Long, Long> meanRunMillis(long sinceMillis, int most) {
        return transactions.run("read run times", connection -> {
            boundTime(connection);
            try (PreparedStatement statement = connection.prepareStatement(MEAN_RUNS)) {
                statement.setLong(1, sinceMillis);
                statement.setInt(2, most);
                Map<Long, Long> means = new HashMap<>();
                try (ResultSet rows = statement.executeQuery()) {
                    while (rows.next()) {
                        means.put(rows.getLong(1), rows.getLong(2));
                    }
                }
                return means;
            }
        });
    }

    @Override
    public Optional<Execution> trigger(long taskId, LongPredicate planned, ManualRun run) {
        return transactions.run("trigger a task", connection -> {
            Optional<TaskMoment> moment = moment(connection, taskId);
            return moment.isEmpty() ? Optional.empty() : trigger(connection, taskId, moment.get(), planned, run);
        });
    }

    @Override
    public void release(Slot slot, String reason) {
        transactions.run("request a release", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(RELEASE)) {
                statement.setLong(1, slot.taskId());
                statement.setLong(2, slot.fireTimeMillis());
                statement.setString(3, reason);
                statement.executeUpdate();
            }
            wakeMaster(connection);
            return null;
        });
    }

    private static Optional<Execution> trigger(
            Connection connection, long taskId, TaskMoment moment, LongPredicate planned, ManualRun run)
            throws SQLException {
        long fireMillis = moment.nowMillis();
        Iterator<Long> free = List.of(fireMillis).iterator();
        for (int tries = 0; tries < MOST_TRIES; tries++) {
            if (!free.hasNext()) {
                free = free(connection, taskId, fireMillis + 1).iterator();
            }
            fireMillis = free.next();
            Slot slot = new Slot(taskId, fireMillis);
            boolean mayBeTaken = moment.nextFireMillis() != fireMillis && !planned.test(fireMillis);
            if (mayBeTaken && insert(connection, slot, run)) {
                wakeMaster(connection);
                return find(connection, slot);
            }
        }
        throw new SQLException("no millisecond after " + moment.nowMillis() + " is free for a slot of task " + taskId);
    }

    /** Free milliseconds for the task. The database skips the taken ones, however many there are. */
    private static List<Long> free(Connection connection, long taskId, long fromMillis) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("select twinbell.free_slots(?, ?, " + FREE_AT_ONCE + ")")) {
            statement.setLong(1, taskId);
            statement.setLong(2, fromMillis);
            return Rows.all(statement, row -> row.getLong(1));
        }
    }

    private record TaskMoment(long nowMillis, long nextFireMillis) {}

    /**
     * Reads the current time and the next fire time, and locks the task against removal, so that the insert that
     * follows finds it.
     */
    private static Optional<TaskMoment> moment(Connection connection, long taskId) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("""
                select twinbell.now_millis(), twinbell.millis(s.next_fire_time)
                from twinbell.task t join twinbell.task_state s on s.task_id = t.id
                where t.id = ? for key share of t""")) {
            statement.setLong(1, taskId);
            return Rows.first(statement, row -> new TaskMoment(row.getLong(1), row.getLong(2)));
        }
    }

    private static boolean insert(Connection connection, Slot slot, ManualRun run) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(TRIGGER)) {
            statement.setString(1, run.reason());
            statement.setString(2, run.data());
            statement.setLong(3, slot.fireTimeMillis());
            statement.setLong(4, slot.taskId());
            return statement.executeUpdate() == 1;
        }
    }

    static void wakeMaster(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("select pg_notify('twinbell_ledger', '')")) {
            statement.execute();
        }
    }

    private static Optional<Execution> find(Connection connection, Slot slot) throws SQLException {
        Conditions conditions = new Conditions()
                .and("task_id = ?", slot.taskId())
                .and("fire_time = twinbell.instant(?)", slot.fireTimeMillis());
        return read(connection, ALONE, conditions, "").stream().findFirst();
    }

    private static List<Execution> read(Connection connection, String select, Conditions conditions, String tail)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(select + conditions.where() + tail)) {
            conditions.bind(statement);
            return Rows.all(statement, JdbcExecutionQueries::read);
        }
    }

    static Execution read(ResultSet row) throws SQLException {
        return new Execution(
                new Execution.Slots(row.getLong(1), row.getLong(2), TaskRow.optional(row, 3), row.getLong(4)),
                row.getString(5),
                row.getString(6),
                ExecutionState.valueOf(row.getString(7)),
                row.getString(16),
                new Execution.LatestClaim(
                        row.getInt(8),
                        row.getInt(19),
                        row.getInt(27),
                        row.getString(9),
                        TaskRow.optional(row, 10),
                        row.getString(22),
                        row.getString(26)),
                new Execution.Times(
                        TaskRow.optional(row, 11),
                        TaskRow.optional(row, 12),
                        TaskRow.optional(row, 13),
                        TaskRow.optional(row, 17),
                        TaskRow.optional(row, 28)),
                new Execution.Outcome(
                        row.getString(20), row.getString(21), row.getString(18), row.getString(14), row.getString(15)),
                report(row));
    }

    private static AttemptReport report(ResultSet row) throws SQLException {
        double progress = row.getDouble(23);
        OptionalDouble known = row.wasNull() ? OptionalDouble.empty() : OptionalDouble.of(progress);
        return new AttemptReport(known, row.getString(24), row.getString(25));
    }
}
