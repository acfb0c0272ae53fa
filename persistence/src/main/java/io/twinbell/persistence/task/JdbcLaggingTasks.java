package io.twinbell.persistence.task;

import io.twinbell.persistence.database.Conditions;
import io.twinbell.persistence.database.Transactions;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/** Finds lagging tasks by the versions in {@code task_calendar}. */
public final class JdbcLaggingTasks implements LaggingTasks {
    private static final String LAGGING = """
             from twinbell.task_calendar l join twinbell.task_state s on s.task_id = l.task_id
            where l.calendar = c.name and l.version < c.version and s.state <> 'ERROR'
              and not (s.state in ('ACTIVE', 'PAUSED') and s.next_fire_time is null)""";

    private static final String CALENDARS =
            "select c.name from twinbell.calendar c where exists (select 1" + LAGGING + ") order by c.name";
    private static final String IDS = "select f.task_id from twinbell.calendar c cross join lateral (select l.task_id"
            + LAGGING + " and l.task_id > ? order by l.task_id limit " + TaskStore.BULK + ") f where c.name = ?"
            + " order by f.task_id";

    private final Transactions transactions;

    public JdbcLaggingTasks(DataSource pool) {
        transactions = new Transactions(pool);
    }

    @Override
    public List<String> calendars() {
        return transactions.run("find tasks with an outdated calendar", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(CALENDARS);
                    ResultSet rows = statement.executeQuery()) {
                List<String> names = new ArrayList<>();
                while (rows.next()) {
                    names.add(rows.getString(1));
                }
                return names;
            }
        });
    }

    @Override
    public long change(String calendar, long afterId, TaskDecision decision) {
        return transactions.run("recompute fire times", connection -> {
            List<Long> ids = ids(connection, calendar, afterId);
            if (ids.isEmpty()) {
                return -1L;
            }
            Conditions these = new Conditions().and("t.id = any(?)", connection.createArrayOf("bigint", ids.toArray()));
            List<Task> tasks = JdbcTaskStore.read(connection, these, " order by t.id for update skip locked");
            JdbcTaskStore.decideAll(connection, tasks, decision);
            return ids.get(ids.size() - 1);
        });
    }

    private static List<Long> ids(Connection connection, String calendar, long afterId) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(IDS)) {
            statement.setLong(1, afterId);
            statement.setString(2, calendar);
            try (ResultSet rows = statement.executeQuery()) {
                List<Long> ids = new ArrayList<>();
                while (rows.next()) {
                    ids.add(rows.getLong(1));
                }
                return ids;
            }
        }
    }
}
