package io.twinbell.node.calendar.store;

import io.twinbell.persistence.database.Transactions;
import io.twinbell.persistence.task.JdbcTaskStore;
import io.twinbell.persistence.task.Task;
import io.twinbell.persistence.task.TaskDecision;
import io.twinbell.persistence.task.TaskStore;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import javax.sql.DataSource;

/**
 * Finds and changes tasks that must follow a change elsewhere: of a calendar, or of defaults. A task lags behind a
 * calendar if its next fire time was computed with an older version than the stored one. A task that waits for the end
 * of its run counts only after that end, and a task in ERROR only after it is resumed.
 */
public final class LaggingTasks {
    private static final String LAGGING = """
             from twinbell.task_calendar l join twinbell.task_state s on s.task_id = l.task_id
            where l.calendar = c.name and l.version < c.version and s.state <> 'ERROR'
              and not (s.state in ('ACTIVE', 'PAUSED') and s.next_fire_time is null)""";

    private static final String CALENDARS =
            "select c.name from twinbell.calendar c where exists (select 1" + LAGGING + ") order by c.name";
    private static final String IDS = String.format(Locale.ROOT, """
            select f.task_id from twinbell.calendar c
            cross join lateral (select l.task_id%s and l.task_id > ? order by l.task_id limit %s) f
            where c.name = ? order by f.task_id""", LAGGING, TaskStore.BULK);

    private static final String DEFAULTED = """
            select t.id from twinbell.task t join twinbell.task_state s on s.task_id = t.id
            where t.definition_id in (select d.id from twinbell.definition d where d.content ?? 'origins')
              and t.id > ? and s.state not in ('FINISHED', 'ERROR') and t.app = coalesce(?, t.app)
            order by t.id limit\s""" + TaskStore.BULK;

    private final Transactions transactions;

    public LaggingTasks(DataSource pool) {
        transactions = new Transactions(pool);
    }

    /** The calendars that have lagging tasks. */
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

    /**
     * Applies the decision to tasks that lag behind a calendar and have an id above {@code afterId}, in id order, at
     * most {@link TaskStore#BULK} in one transaction. A task whose row another transaction holds is skipped.
     *
     * @return the greatest id that was examined, or -1 if there was none
     */
    public long change(String calendar, long afterId, TaskDecision decision) {
        return transactions.run(
                "recompute fire times",
                connection -> decide(connection, ids(connection, IDS, afterId, calendar), " skip locked", decision));
    }

    /**
     * Applies the decision to unfinished tasks whose definition has values from defaults and that have an id above
     * {@code afterId}, in id order, at most {@link TaskStore#BULK} in one transaction.
     *
     * @param app null for all apps
     * @return the greatest id that was examined, or -1 if there was none
     */
    public long changeDefaulted(String app, long afterId, TaskDecision decision) {
        return transactions.run(
                "change tasks with defaults",
                connection -> decide(connection, ids(connection, DEFAULTED, afterId, app), "", decision));
    }

    private static long decide(Connection connection, List<Long> ids, String ifLocked, TaskDecision decision)
            throws SQLException {
        if (ids.isEmpty()) {
            return -1;
        }
        List<Task> tasks = JdbcTaskStore.lock(connection, ids, ifLocked);
        JdbcTaskStore.decided(connection, tasks, decision).performExempt(connection);
        return ids.get(ids.size() - 1);
    }

    private static List<Long> ids(Connection connection, String sql, long afterId, String name) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setLong(1, afterId);
            statement.setString(2, name);
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
