package io.twinbell.node.execution.store;

import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.database.Rows;
import io.twinbell.persistence.ledger.Attempt;
import io.twinbell.persistence.ledger.ClaimColumns;
import io.twinbell.persistence.ledger.ExecutionState;
import io.twinbell.persistence.task.TaskRow;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;

/** Reads claimed executions without an outcome, together with the usual run times of their tasks. */
public final class UnfinishedExecutions {
    /** During a pause of firing, orphans that run again are kept. They are settled when it has ended. */
    private static final String PRESENT = """
            select twinbell.now_millis(), epoch,
                   twinbell.millis(greatest(opened_at,
                     (select max(least(coalesce(p.resumed_at, p.paused_until), clock_timestamp()))
                      from twinbell.firing_pause p),
                     to_timestamp(0))),
                   array(select d.epoch from twinbell.drains(e) d),
                   (select count(*) from (select 1 from twinbell.task_state where state = 'ERROR' limit 10000) s)
            from twinbell.epoch e""";

    /**
     * Computes the percentile only for executions that were claimed at least 10 s ago, and only from the latest 200
     * runs.
     */
    private static final String CLAIMED = """
            select e.task_id, twinbell.millis(e.fire_time), e.app, e.name, e.attempt, e.epoch, e.node, null, e.in_turn, e.state,
                   twinbell.millis(e.started_at), usual.runs, usual.p99, null::text[] as tags,
                   e.snoozes, twinbell.millis(e.snoozed_since) as snoozed_since, e.origin, e.reruns
            from (
              select * from twinbell.execution e
              where state in ('CLAIMED', 'RUNNING') and claimed_at < statement_timestamp() - interval '10 seconds'
                -- Their timeout decides.
                and not exists (select 1 from twinbell.parked p where p.task_id = e.task_id and p.fire_time = e.fire_time
                  and p.attempt = e.attempt and p.over_at is null and p.is_out)
              order by claimed_at limit ?
            ) e cross join lateral (
              select count(*) as runs, coalesce(percentile_disc(0.99) within group (order by took), 0) as p99
              from (
                select twinbell.millis(h.ended_at) - twinbell.millis(h.started_at) as took from twinbell.execution h
                where h.task_id = e.task_id and h.fire_time < e.fire_time
                  and h.state in ('SUCCEEDED', 'FAILED', 'TIMED_OUT') and h.started_at is not null
                order by h.fire_time desc limit 200
              ) latest
            ) usual
            order by e.claimed_at""";

    private final DedicatedConnection connection;

    /**
     * The unfinished executions, with the facts by which to judge them.
     *
     * @param presentEpoch the current epoch
     * @param settlingSinceMillis the time since which its master settles orphans of every kind: when the epoch was
     *     opened or the last pause of firing ended; the present during a pause
     * @param drainingEpochs the epochs that may still be finishing their runs
     * @param tasksInError the number of tasks that do not fire because their definition cannot be read; counted up
     *     to 10,000
     */
    public record UnfinishedPage(
            long nowMillis,
            long presentEpoch,
            long settlingSinceMillis,
            Set<Long> drainingEpochs,
            int tasksInError,
            List<Claimed> claimed) {}

    /** @param state CLAIMED or RUNNING */
    public record Claimed(Attempt attempt, ExecutionState state, OptionalLong startedMillis, UsualRunTime usual) {}

    /**
     * The run times of the task's latest runs.
     *
     * @param runs how many runs were counted
     * @param p99Millis 0 if there were none
     */
    public record UsualRunTime(int runs, long p99Millis) {}

    public UnfinishedExecutions(DedicatedConnection connection) {
        this.connection = connection;
    }

    /**
     * Returns at most {@code limit} executions, those claimed longest ago first; none that was claimed within the last
     * 10 s.
     */
    public UnfinishedPage readPage(int limit) {
        return connection.run(c -> {
            List<Claimed> claimed = claimed(c, limit);
            try (PreparedStatement statement = c.prepareStatement(PRESENT)) {
                return Rows.only(
                        statement,
                        row -> new UnfinishedPage(
                                row.getLong(1),
                                row.getLong(2),
                                row.getLong(3),
                                Set.of((Long[]) row.getArray(4).getArray()),
                                row.getInt(5),
                                claimed));
            }
        });
    }

    private static List<Claimed> claimed(Connection c, int limit) throws SQLException {
        try (PreparedStatement statement = c.prepareStatement(CLAIMED)) {
            statement.setInt(1, limit);
            return Rows.all(
                    statement,
                    row -> new Claimed(
                            ClaimColumns.attempt(row),
                            ExecutionState.valueOf(row.getString(10)),
                            TaskRow.optional(row, 11),
                            new UsualRunTime(row.getInt(12), row.getLong(13))));
        }
    }
}
