package io.twinbell.node.execution.store;

import io.twinbell.node.execution.store.ExecutionStatistics.Count;
import io.twinbell.node.execution.store.ExecutionStatistics.Percentiles;
import io.twinbell.persistence.ledger.ExecutionState;
import io.twinbell.persistence.task.TaskRow;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Computes a task's execution statistics in one pass over its part of the ledger. */
final class Statistics {
    /** One row per state, and one row for all states together, whose state is null. */
    private static final String COUNT = """
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

    private Statistics() {}

    static ExecutionStatistics read(Connection connection, long taskId, long fromMillis, long untilMillis)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(COUNT)) {
            statement.setLong(1, taskId);
            statement.setLong(2, fromMillis);
            statement.setLong(3, untilMillis);
            List<Count> states = new ArrayList<>();
            try (ResultSet row = statement.executeQuery()) {
                // The row for all states is last, because null sorts after every state.
                while (row.next() && row.getString(1) != null) {
                    states.add(new Count(ExecutionState.valueOf(row.getString(1)), row.getLong(2), row.getLong(3)));
                }
                return new ExecutionStatistics(states, spread(row, 4), spread(row, 7));
            }
        }
    }

    private static Percentiles spread(ResultSet row, int column) throws SQLException {
        return new Percentiles(
                TaskRow.optional(row, column), TaskRow.optional(row, column + 1), TaskRow.optional(row, column + 2));
    }
}
