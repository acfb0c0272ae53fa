package io.twinbell.persistence.ledger.recovery;

import io.twinbell.persistence.clock.Ticker;
import io.twinbell.persistence.database.ScanWindow;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Finds stalled tasks, page by page. */
final class StalledTaskSearch {
    /** The first row contains the number of tasks that were examined and the last task id. */
    private static final String STALLED = """
            with looked as materialized (
              select s.task_id from twinbell.task_state s
              where s.state = 'ACTIVE' and s.next_fire_time is null and s.task_id >= ? and s.task_id <= ?
              order by s.task_id limit ?
            )
            select 0, max(task_id), null, null, null, count(*) from looked
            union all
            select 1, t.id, t.app, t.name, twinbell.full_definition(d.content, t.data, t.start_at, t.fire_at)::text, (
                select twinbell.millis(e.ended_at) from twinbell.execution e where e.task_id = t.id
                order by e.fire_time desc limit 1)
            from looked l join twinbell.task t on t.id = any(array[l.task_id])
              join twinbell.definition d on d.id = any(array[t.definition_id])
            where not exists (select 1 from twinbell.arrival a where a.task_id = any(array[l.task_id]) offset 0)
              and not exists (select 1 from twinbell.execution e where e.task_id = any(array[l.task_id])
                and e.state in ('CLAIMED', 'RUNNING', 'RETRYING') offset 0)
              and not exists (select 1 from twinbell.execution e where e.task_id = any(array[l.task_id])
                and e.state = 'PENDING' offset 0)
            order by 1""";

    private final ScanWindow window;

    StalledTaskSearch(Ticker ticker) {
        window = new ScanWindow(ticker, JdbcRecoveryStore.LONGEST_SCAN);
    }

    StalledTask.StalledTaskPage page(Connection c, long afterTaskId, int most) throws SQLException {
        long firstAfter = afterTaskId == StalledTask.FROM_THE_FIRST ? afterTaskId : afterTaskId + 1;
        boolean isPart = window.isDivided();
        StalledTask.StalledTaskPage page = window.run(
                () -> JdbcRecoveryStore.taskIds(c),
                (from, until) -> read(c, Math.max(from, firstAfter), until, most),
                some -> !some.tasks().isEmpty() || some.nextAfter() != StalledTask.FROM_THE_FIRST);
        if (!isPart) {
            return page;
        }
        if (page.nextAfter() != StalledTask.FROM_THE_FIRST) {
            window.continueAfter(page.nextAfter());
        }
        return new StalledTask.StalledTaskPage(page.tasks(), StalledTask.FROM_THE_FIRST);
    }

    private static StalledTask.StalledTaskPage read(Connection c, long fromTaskId, long untilTaskId, int most)
            throws SQLException {
        try (PreparedStatement statement = c.prepareStatement(STALLED)) {
            statement.setLong(1, fromTaskId);
            statement.setLong(2, untilTaskId);
            statement.setInt(3, most);
            try (ResultSet rows = statement.executeQuery()) {
                rows.next();
                long nextAfter = rows.getLong(6) < most ? StalledTask.FROM_THE_FIRST : rows.getLong(2);
                List<StalledTask> stalled = new ArrayList<>();
                while (rows.next()) {
                    stalled.add(new StalledTask(
                            rows.getLong(2), rows.getString(3), rows.getString(4), rows.getString(5), rows.getLong(6)));
                }
                return new StalledTask.StalledTaskPage(stalled, nextAfter);
            }
        }
    }
}
