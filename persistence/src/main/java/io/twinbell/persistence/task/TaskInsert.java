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

/** Stores new tasks, many in a statement. */
final class TaskInsert {
    private static final int ROWS_A_STATEMENT = 5000;

    private static final String INSERT = """
            insert into twinbell.task (app, name, owner, tags, handler_type, handler_key, definition)
            select app, name, owner, tags::text[], handler_type, handler_key, definition::jsonb
            from unnest(?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[])
              as g(app, name, owner, tags, handler_type, handler_key, definition)
            on conflict (app, name) do nothing
            returning id, app, name, twinbell.priority(definition)""";

    /**
     * Apart from the tasks' own statement, since a join of the two would compare each with each where its plan does not
     * know how many. Tells of each whether it fires sooner than a claim can be ahead of time.
     */
    private static final String STATES = """
            insert into twinbell.task_state (task_id, priority, state, state_reason, next_fire_time, planned_from)
            select g.id, g.priority, g.state, g.state_reason, f.fire, f.fire
            from unnest(?::bigint[], ?::bigint[], ?::text[], ?::text[], ?::bigint[])
              as g(id, priority, state, state_reason, next_fire)
            cross join lateral (select twinbell.instant(g.next_fire) as fire) as f
            returning task_id, next_fire_time < clock_timestamp() + interval '5 seconds'""";

    /**
     * A task that is made anew under an old name does not fire again at an instant that is in the ledger under that name,
     * or is about to be: it counts as claimed. The ledger is asked by the id that the task had, since at one instant there
     * may be a hundred thousand.
     */
    static final String HAS_FIRED_BEFORE = """
            update twinbell.task_state s set previous_fire_time = s.next_fire_time from twinbell.task t
            where t.id = s.task_id and s.task_id = any(?::bigint[]) and s.previous_fire_time is null
              and s.next_fire_time < clock_timestamp() + interval '5 seconds' and (
                exists (select 1 from twinbell.removed_task r where r.app = t.app and r.name = t.name
                        and (exists (select 1 from twinbell.execution e
                                     where e.task_id = r.task_id and e.fire_time = s.next_fire_time)
                          or twinbell.is_in_batch(r.task_id, s.next_fire_time)))
                or exists (select 1 from twinbell.passed_slots p
                           where p.fire_time = s.next_fire_time and p.app = t.app and p.name = t.name)
                or exists (select 1 from twinbell.removal r
                           where r.next_fire_time = s.next_fire_time and r.app = t.app and r.name = t.name))""";

    private record Added(long id, int priority, NewTask task) {}

    private TaskInsert() {}

    /** The first of a name wins. */
    static List<OptionalLong> insert(Connection connection, List<NewTask> tasks) throws SQLException {
        Map<TaskName, NewTask> distinct = new HashMap<>(2 * tasks.size());
        tasks.forEach(task -> distinct.putIfAbsent(task.content().key(), task));
        // Two writers that insert the same names in one order wait for each other; in two orders they would deadlock.
        List<NewTask> rows = new ArrayList<>(distinct.values());
        rows.sort(Comparator.comparing((NewTask task) -> task.content().app())
                .thenComparing(task -> task.content().name()));
        Map<TaskName, Long> ids = new HashMap<>(2 * rows.size());
        for (int from = 0; from < rows.size(); from += ROWS_A_STATEMENT) {
            List<NewTask> some = rows.subList(from, Math.min(rows.size(), from + ROWS_A_STATEMENT));
            List<Added> added = insert(connection, some, distinct);
            enterStates(connection, added);
            added.forEach(row -> ids.put(row.task().content().key(), row.id()));
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

    private static List<Added> insert(Connection connection, List<NewTask> rows, Map<TaskName, NewTask> byName)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(INSERT)) {
            Columns<NewTask> columns = new Columns<>(connection, statement, rows);
            columns.text(row -> row.content().app());
            columns.text(row -> row.content().name());
            columns.text(row -> row.content().owner());
            columns.array(row -> row.content().tags());
            columns.text(row -> row.content().handlerType());
            columns.text(row -> row.content().handlerKey());
            columns.text(row -> row.content().definition());
            List<Added> added = new ArrayList<>(rows.size());
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    TaskName name = new TaskName(row.getString(2), row.getString(3));
                    added.add(new Added(row.getLong(1), row.getInt(4), byName.get(name)));
                }
            }
            return added;
        }
    }

    private static void enterStates(Connection connection, List<Added> added) throws SQLException {
        if (added.isEmpty()) {
            return;
        }
        try (PreparedStatement statement = connection.prepareStatement(STATES)) {
            Columns<Added> columns = new Columns<>(connection, statement, added);
            columns.id(Added::id);
            columns.id(row -> (long) row.priority());
            columns.text(row -> row.task().progress().state().name());
            columns.text(row -> row.task().progress().reason());
            columns.number(row -> row.task().progress().nextFireMillis());
            List<Long> soon = new ArrayList<>();
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    if (row.getBoolean(2)) {
                        soon.add(row.getLong(1));
                    }
                }
            }
            lookBack(connection, soon);
        }
    }

    private static void lookBack(Connection connection, List<Long> ids) throws SQLException {
        if (ids.isEmpty()) {
            return;
        }
        try (PreparedStatement statement = connection.prepareStatement(HAS_FIRED_BEFORE)) {
            statement.setArray(1, connection.createArrayOf("bigint", ids.toArray()));
            statement.executeUpdate();
        }
    }
}
