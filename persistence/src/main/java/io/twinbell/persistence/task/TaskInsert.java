package io.twinbell.persistence.task;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeMap;

/** Stores new tasks, many in a statement. */
final class TaskInsert {
    private static final int ROWS_A_STATEMENT = 1000;

    /**
     * A task that is made anew under an old name does not fire again at an instant that is in the ledger under that name,
     * or is about to be: it counts as claimed. Later ones than a claim can be ahead of time need no look.
     */
    private static final String INSERT = """
            with given as (
              select *, twinbell.instant(next_fire) as fire from unnest(?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[],
                                   ?::text[], ?::text[], ?::bigint[])
                as g(app, name, owner, tags, handler_type, handler_key, definition, state, state_reason, next_fire)
            ), added as (
              insert into twinbell.task (app, name, owner, tags, handler_type, handler_key, definition)
              select app, name, owner, tags::text[], handler_type, handler_key, definition::jsonb from given
              on conflict (app, name) do nothing
              returning id, app, name, twinbell.priority(definition) as priority
            ), states as (
              insert into twinbell.task_state (task_id, priority, state, state_reason, next_fire_time, planned_from, previous_fire_time)
              select added.id, added.priority, g.state, g.state_reason, g.fire, g.fire,
                     case when g.fire < clock_timestamp() + interval '5 seconds' and (
                       exists (select 1 from twinbell.execution e
                               where e.fire_time = g.fire and e.app = g.app and e.name = g.name)
                       or exists (select 1 from twinbell.passed_slots p
                                  where p.fire_time = g.fire and p.app = g.app and p.name = g.name)) then g.fire end
              from added join given g using (app, name)
            )
            select id, app, name from added""";

    private TaskInsert() {}

    /** The first of a name wins. */
    static List<OptionalLong> insert(Connection connection, List<NewTask> tasks) throws SQLException {
        // Two writers that insert the same names in one order wait for each other; in two orders they would deadlock.
        Map<TaskName, NewTask> distinct =
                new TreeMap<>(Comparator.comparing(TaskName::app).thenComparing(TaskName::name));
        tasks.forEach(task -> distinct.putIfAbsent(task.content().key(), task));
        List<NewTask> rows = List.copyOf(distinct.values());
        Map<TaskName, Long> ids = new HashMap<>();
        for (int from = 0; from < rows.size(); from += ROWS_A_STATEMENT) {
            insert(connection, rows.subList(from, Math.min(rows.size(), from + ROWS_A_STATEMENT)), ids);
        }
        link(connection, distinct, ids);
        Notices.tasksChanged(connection, ids.values());
        return answers(tasks, distinct, ids);
    }

    private static void link(Connection connection, Map<TaskName, NewTask> tasks, Map<TaskName, Long> ids)
            throws SQLException {
        CalendarLinks links = new CalendarLinks();
        ids.forEach((key, id) -> {
            if (!tasks.get(key).calendars().isEmpty()) {
                links.add(id, tasks.get(key).calendars());
            }
        });
        links.write(connection);
    }

    private static List<OptionalLong> answers(
            List<NewTask> tasks, Map<TaskName, NewTask> stored, Map<TaskName, Long> ids) {
        List<OptionalLong> answers = new ArrayList<>();
        for (NewTask task : tasks) {
            TaskName key = task.content().key();
            boolean isTheOneStored = stored.get(key) == task && ids.containsKey(key);
            answers.add(isTheOneStored ? OptionalLong.of(ids.get(key)) : OptionalLong.empty());
        }
        return answers;
    }

    private static void insert(Connection connection, List<NewTask> rows, Map<TaskName, Long> ids) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(INSERT)) {
            Columns<NewTask> columns = new Columns<>(connection, statement, rows);
            columns.text(row -> row.content().app());
            columns.text(row -> row.content().name());
            columns.text(row -> row.content().owner());
            columns.array(row -> row.content().tags());
            columns.text(row -> row.content().handlerType());
            columns.text(row -> row.content().handlerKey());
            columns.text(row -> row.content().definition());
            columns.text(row -> row.progress().state().name());
            columns.text(row -> row.progress().reason());
            columns.number(row -> row.progress().nextFireMillis());
            try (ResultSet added = statement.executeQuery()) {
                while (added.next()) {
                    ids.put(new TaskName(added.getString(2), added.getString(3)), added.getLong(1));
                }
            }
        }
    }
}
