package io.twinbell.persistence.ledger;

import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.epoch.EpochGuard;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.function.ToLongFunction;

/**
 * Sets the next fire time of tasks whose schedule counts from the end of their run. A next fire time that an edit set
 * during the run is kept. While another run of the task is unfinished, nothing is set, because the end of that run will
 * set it. A row that an application holds is skipped, so that nobody waits for it; the task is later found as stalled.
 */
public final class Reschedule {
    private static final String SQL = "with " + EpochGuard.ALSO_WHILE_DRAINING + """
            , free as materialized (
              select n.task_id, n.next from unnest(?::bigint[], ?::bigint[]) as n(task_id, next)
              join twinbell.task_state s on s.task_id = any(array[n.task_id])
              where s.next_fire_time is null and s.state in ('ACTIVE', 'PAUSED') and exists (select 1 from authority)
                and not exists (select 1 from twinbell.execution e where e.task_id = any(array[n.task_id])
                  and e.state in ('CLAIMED', 'RUNNING', 'RETRYING') offset 0)
              order by n.task_id for update of s skip locked
            ), notified as (
              select count(pg_notify('twinbell_task', task_id::text)) from free
            )
            update twinbell.task_state s
            set next_fire_time = twinbell.instant(nullif(f.next, -9223372036854775808)),
                state = case when f.next = -9223372036854775808 and s.state = 'ACTIVE' then 'FINISHED' else s.state end
            from free f where s.task_id = any(array[f.task_id]) and exists (select 1 from notified)""";

    private Reschedule() {}

    /** @param nextMillis as in {@link Completion}; rows that do not follow their runs are left out */
    public static <T> void run(
            Connection c, Epoch epoch, List<T> rows, ToLongFunction<T> taskId, ToLongFunction<T> nextMillis)
            throws SQLException {
        List<T> followed = rows.stream()
                .filter(row -> nextMillis.applyAsLong(row) != Completion.NOT_FOLLOWED)
                .toList();
        if (followed.isEmpty()) {
            return;
        }
        try (PreparedStatement statement = c.prepareStatement(SQL)) {
            new ColumnArrays<>(statement, EpochGuard.bind(statement, 1, epoch), followed)
                    .longs(taskId)
                    .longs(nextMillis);
            statement.executeUpdate();
        }
    }
}
