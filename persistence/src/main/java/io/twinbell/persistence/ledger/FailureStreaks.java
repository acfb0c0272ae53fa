package io.twinbell.persistence.ledger;

import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.epoch.EpochGuard;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/** Counts the consecutive failures of a task, and pauses the task when it reaches its limit. */
public final class FailureStreaks {
    private static final String FAILED = """
            insert into twinbell.failure_streak as s (task_id, failures, pause_at) values (?, 1, ?)
            on conflict (task_id) do update set failures = s.failures + 1, pause_at = excluded.pause_at""";

    private static final String SUCCEEDED = "delete from twinbell.failure_streak where task_id = ?";

    /** Skips a task whose row another transaction holds; a later call finds it again. The pause resets the count. */
    private static final String PAUSE = "with " + EpochGuard.ALSO_WHILE_DRAINING + """
            , failing as materialized (
              select s.task_id, f.failures from twinbell.failure_streak f
                join twinbell.task_state s on s.task_id = any(array[f.task_id])
              where f.failures >= f.pause_at and s.state in ('ACTIVE', 'FINISHED') and exists (select 1 from authority)
              order by f.task_id for update of s skip locked
            ), paused as (
              update twinbell.task_state s
              set state = 'PAUSED', version = twinbell.next_version(s.version),
                  state_reason = f.failures || ' executions in a row have failed'
              from failing f where s.task_id = any(array[f.task_id]) and s.state = 'ACTIVE'
              returning s.task_id, s.state_reason
            ), begun_anew as (
              delete from twinbell.failure_streak k using failing f where k.task_id = any(array[f.task_id])
            )
            select pg_notify('twinbell_task', f.task_id::text),
              twinbell.raise_task_alert('TASK_PAUSED', p.task_id, p.state_reason)
            from failing f left join paused p on p.task_id = f.task_id""";

    private static final String FORGET = """
            delete from twinbell.failure_streak k
            where not exists (select 1 from twinbell.task t where t.id = k.task_id)""";

    private FailureStreaks() {}

    /** Whether a completion affects the count of consecutive failures. */
    public static boolean counts(Completion completion) {
        return completion.pauseAfter() > 0 && (hasFailed(completion) || completion.state() == ExecutionState.SUCCEEDED);
    }

    private static boolean hasFailed(Completion completion) {
        return completion.state() == ExecutionState.FAILED || completion.state() == ExecutionState.TIMED_OUT;
    }

    /**
     * Counts a completion for which {@link #counts} is true. Call it in the transaction that records the completion,
     * and only if that changed the completion's row.
     */
    public static void count(Connection c, Completion completion) throws SQLException {
        boolean hasFailed = hasFailed(completion);
        try (PreparedStatement statement = c.prepareStatement(hasFailed ? FAILED : SUCCEEDED)) {
            statement.setLong(1, completion.slot().taskId());
            if (hasFailed) {
                statement.setInt(2, completion.pauseAfter());
            }
            statement.executeUpdate();
        }
    }

    /** Resets the count. Call it in the transaction that commits a success together with its work. */
    public static void succeeded(Connection c, long taskId) throws SQLException {
        try (PreparedStatement statement = c.prepareStatement(SUCCEEDED)) {
            statement.setLong(1, taskId);
            statement.executeUpdate();
        }
    }

    public static void pause(Connection c, Epoch epoch) throws SQLException {
        try (PreparedStatement statement = c.prepareStatement(PAUSE)) {
            EpochGuard.bind(statement, 1, epoch);
            statement.execute();
        }
    }

    /** Deletes the counts of removed tasks. */
    public static void forget(Connection c) throws SQLException {
        try (PreparedStatement statement = c.prepareStatement(FORGET)) {
            statement.executeUpdate();
        }
    }
}
