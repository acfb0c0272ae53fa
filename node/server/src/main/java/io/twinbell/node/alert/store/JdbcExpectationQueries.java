package io.twinbell.node.alert.store;

import io.twinbell.node.alert.store.AlertStore.AlertSelection;
import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.database.Rows;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Finds what is overdue in PostgreSQL. */
public final class JdbcExpectationQueries implements ExpectationQueries {
    /**
     * The longest run whose success is found. The search for successes is bounded by fire times: without a bound it
     * would read the whole ledger of a task that always fails.
     */
    private static final String LONGEST_RUN = "interval '7 days'";

    private static final String WITHOUT_SUCCESS = """
            select t.id, t.app, t.name, twinbell.millis(l.ended_at), s.state
            from twinbell.full_task t join twinbell.task_state s on s.task_id = t.id
            left join lateral (
              select e.ended_at from twinbell.execution e
              where e.task_id = t.id and e.state = 'SUCCEEDED'
                and e.fire_time > twinbell.instant(?) -\s""" + LONGEST_RUN + """
            \sorder by e.fire_time desc limit 1) l on true
            where s.state <> 'FINISHED' and t.created_at < twinbell.instant(?)
              and (s.previous_fire_time is not null or s.next_fire_time is null
                or s.next_fire_time < twinbell.instant(?))
              and coalesce(l.ended_at < twinbell.instant(?), true)""";

    private static final String WITHOUT_PING = """
            select t.id, t.app, t.name, twinbell.millis(p.at), s.state
            from twinbell.full_task t join twinbell.task_state s on s.task_id = t.id
            left join twinbell.task_ping p on p.task_id = t.id
            where s.state <> 'FINISHED' and coalesce(p.at, t.created_at) < twinbell.instant(?)""";

    private static final String EXECUTION = """
            select t.id, t.app, t.name, twinbell.millis(e.fire_time), e.attempt, twinbell.millis(e.started_at), e.node
            from twinbell.execution e join twinbell.full_task t on t.id = e.task_id where\s""";

    /** A backfilled or caught-up slot starts long after its fire time, as intended. */
    private static final String NOT_PAST = " and coalesce(e.origin, '') not in ('BACKFILLED', 'CAUGHT_UP')";

    private static final String RUNNING_SINCE =
            EXECUTION + "e.state = 'RUNNING' and e.started_at < twinbell.instant(?)";

    private static final String WAITING = EXECUTION
            + "e.state in ('PENDING', 'CLAIMED') and e.started_at is null and e.fire_time < twinbell.instant(?)"
            + NOT_PAST;

    private static final String UNCLAIMED = """
            select t.id, t.app, t.name, twinbell.millis(s.next_fire_time), 0, null::bigint, null::text
            from twinbell.task_state s join twinbell.full_task t on t.id = s.task_id
            where s.state = 'ACTIVE' and s.next_fire_time < twinbell.instant(?)""";

    private static final String STARTED_LATE = EXECUTION + """
            e.fire_time > twinbell.instant(?) and e.fire_time <= twinbell.instant(?) and e.attempt = 1
              and e.started_at > e.fire_time + ? * interval '1 millisecond'""" + NOT_PAST;

    private final DedicatedConnection connection;

    public JdbcExpectationQueries(DedicatedConnection connection) {
        this.connection = connection;
    }

    @Override
    public long nowMillis() {
        return connection.run(c -> AlertRows.query(c, row -> row.getLong(1), "select twinbell.now_millis()")
                .get(0));
    }

    @Override
    public List<OverdueTask> withoutSuccess(
            AlertSelection.TaskCondition tasks, long sinceMillis, long expectedMillis, int limit) {
        return find(
                tasks,
                JdbcExpectationQueries::overdueTask,
                limit,
                WITHOUT_SUCCESS,
                sinceMillis,
                expectedMillis,
                expectedMillis,
                sinceMillis);
    }

    @Override
    public List<OverdueTask> withoutPing(AlertSelection.TaskCondition tasks, long sinceMillis, int limit) {
        return find(tasks, JdbcExpectationQueries::overdueTask, limit, WITHOUT_PING, sinceMillis);
    }

    @Override
    public List<OverdueExecution> runningSince(AlertSelection.TaskCondition tasks, long beforeMillis, int limit) {
        return find(tasks, JdbcExpectationQueries::overdueExecution, limit, RUNNING_SINCE, beforeMillis);
    }

    @Override
    public List<OverdueExecution> unstarted(AlertSelection.TaskCondition tasks, long beforeMillis, int limit) {
        List<OverdueExecution> found =
                new ArrayList<>(find(tasks, JdbcExpectationQueries::overdueExecution, limit, WAITING, beforeMillis));
        int left = limit - found.size();
        if (left > 0) {
            found.addAll(find(tasks, JdbcExpectationQueries::overdueExecution, left, UNCLAIMED, beforeMillis));
        }
        return found;
    }

    @Override
    public List<OverdueExecution> startedLate(
            AlertSelection.TaskCondition tasks, long afterMillis, long untilMillis, long toleranceMillis, int limit) {
        return find(
                tasks,
                JdbcExpectationQueries::overdueExecution,
                limit,
                STARTED_LATE,
                afterMillis,
                untilMillis,
                toleranceMillis);
    }

    private <T> List<T> find(
            AlertSelection.TaskCondition tasks, Rows.Reader<T> row, int limit, String select, Object... values) {
        StringBuilder sql = new StringBuilder(select);
        List<Object> all = new ArrayList<>(List.of(values));
        restrict(sql, all, " and t.app = ?", tasks.app());
        restrict(sql, all, " and t.name = ?", tasks.name());
        restrict(sql, all, " and t.tags @> array[?]::text[] and t.tags <> '{}'", tasks.tag());
        restrict(sql, all, " and t.owner = ?", tasks.owner());
        sql.append(" limit ?");
        all.add(limit);
        return connection.run(c -> AlertRows.query(c, row, sql.toString(), all.toArray()));
    }

    /** Leaves out a condition that is not given: otherwise no plan could use the index of another condition. */
    private static void restrict(StringBuilder sql, List<Object> values, String condition, String value) {
        if (value != null) {
            sql.append(condition);
            values.add(value);
        }
    }

    private static OverdueTask overdueTask(ResultSet row) throws SQLException {
        return new OverdueTask(task(row), row.getObject(4, Long.class), row.getString(5));
    }

    private static OverdueExecution overdueExecution(ResultSet row) throws SQLException {
        return new OverdueExecution(
                task(row), row.getLong(4), row.getInt(5), row.getObject(6, Long.class), row.getString(7));
    }

    private static ExpectedTask task(ResultSet row) throws SQLException {
        return new ExpectedTask(row.getLong(1), row.getString(2), row.getString(3));
    }
}
