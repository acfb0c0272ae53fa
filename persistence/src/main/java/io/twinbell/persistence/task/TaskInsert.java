package io.twinbell.persistence.task;

import io.twinbell.persistence.calendar.CalendarLinks;
import io.twinbell.persistence.database.Rows;
import io.twinbell.persistence.ledger.ColumnArrays;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Function;

/** Stores new tasks, many at once. */
public final class TaskInsert {
    private static final int ROWS_A_STATEMENT = 5000;
    /** From so many tasks on, all names are first taken to be free: one that is taken soon fails the insert. */
    private static final int MANY = 100;

    private static final String NAME_IS_TAKEN = "23505";

    private static final String INSERT = """
            with kinds as materialized (
              select n, twinbell.definition_doc(owner, tags::text[], handler_type, handler_key, content::jsonb) as doc
              from unnest(?::text[], ?::text[], ?::text[], ?::text[], ?::text[])
                with ordinality as k(owner, tags, handler_type, handler_key, content, n)
            ), defined as materialized (
              select twinbell.define(array(select doc from kinds order by n)) as ids,
                     array(select doc -> 'content' ??| '{then,thenOnFailure}' from kinds order by n) as chained
            )
            insert into twinbell.task (app, name, definition_id, data, start_at, fire_at, chained)
            select g.app, g.name, d.ids[g.kind], g.data::jsonb, twinbell.instant(g.start), twinbell.instant(g.at),
                   d.chained[g.kind]
            from unnest(?::text[], ?::text[], ?::bigint[], ?::text[], ?::bigint[], ?::bigint[])
              with ordinality as g(app, name, kind, data, start, at, n) cross join defined d
            order by g.n
            """;

    private static final String INSERTED = " returning id, app, name";
    /** The check for a taken name makes an insert a third dearer. */
    private static final String UNLESS_TAKEN = " on conflict (app, name) do nothing";

    /**
     * A separate statement: a join with the insert of the tasks might compare every pair of rows, because the planner
     * does not know how many there are. Returns for each task whether it fires sooner than a claim may be made in
     * advance.
     */
    private static final String STATES = """
            insert into twinbell.task_state (task_id, priority, state, state_reason, next_fire_time, planned_from)
            select g.id, g.priority, g.state, g.state_reason, f.fire, f.fire
            from unnest(?::bigint[], ?::bigint[], ?::text[], ?::text[], ?::bigint[])
              as g(id, priority, state, state_reason, next_fire)
            cross join lateral (select twinbell.instant(g.next_fire) as fire) as f
            returning task_id, next_fire_time < statement_timestamp() + interval '5 seconds'""";

    /**
     * A task that is created again under an old name does not fire again at an instant that is in the ledger under that
     * name, or is about to be: that slot counts as claimed. The ledger is searched by the id of the earlier task,
     * because one instant may have a hundred thousand rows.
     */
    public static final String HAS_FIRED_BEFORE = """
            update twinbell.task_state s set previous_fire_time = s.next_fire_time from twinbell.task t
            where t.id = s.task_id and s.task_id = any(?::bigint[]) and s.previous_fire_time is null
              and s.next_fire_time < statement_timestamp() + interval '5 seconds' and (
                exists (select 1 from twinbell.removed_task r where r.app = t.app and r.name = t.name
                        and (exists (select 1 from twinbell.execution e
                                     where e.task_id = r.task_id and e.fire_time = s.next_fire_time)
                          or twinbell.is_in_batch(r.task_id, s.next_fire_time)))
                or exists (select 1 from twinbell.passed_slots p
                           where p.fire_time = s.next_fire_time and p.app = t.app and p.name = t.name)
                or exists (select 1 from twinbell.removal r
                           where r.next_fire_time = s.next_fire_time and r.app = t.app and r.name = t.name))""";

    /**
     * A finished task does not keep its name, unless an application has just replaced the task by SQL. Tasks are locked
     * in id order, as in every bulk edit. The rows are read again once locked, so a task that gets a new fire time
     * meanwhile keeps its name.
     */
    private static final String FINISHED = """
            select t.id from unnest(?::text[], ?::text[]) as n(app, name)
            join twinbell.task t using (app, name) join twinbell.task_state s on s.task_id = t.id
            where s.state = 'FINISHED' and not exists (select 1 from twinbell.arrival a where a.task_id = t.id)
            order by t.id for update of t, s""";

    private static final String REMOVE = "delete from twinbell.task where id = any(?)";

    private TaskInsert() {}

    /** What tasks with one definition share. */
    private record Kind(String owner, List<String> tags, String handlerType, String handlerKey, String definition) {
        static Kind of(NewTask task) {
            TaskContent content = task.content();
            return new Kind(
                    content.owner(),
                    content.tags(),
                    content.handlerType(),
                    content.handlerKey(),
                    task.parts().shared());
        }
    }

    /** A task that this transaction has stored. */
    record AddedTask(long id, NewTask task) {}

    /**
     * Stores the tasks with free names, in the order of the names: two writers of the same names then wait for each
     * other, whereas in different orders they would deadlock.
     *
     * @param reader returns the task of a name; called just before the task is stored
     * @return the ids, by name
     */
    static Map<TaskName, Long> insert(
            Connection connection, SortedSet<TaskName> names, Function<TaskName, NewTask> reader) throws SQLException {
        Map<TaskName, NewTask> read = new HashMap<>(2 * names.size());
        Function<TaskName, NewTask> once = name -> read.computeIfAbsent(name, reader);
        Optional<List<AddedTask>> free =
                names.size() < MANY ? Optional.empty() : insertAllFree(connection, names, once);
        List<AddedTask> added = free.isPresent() ? free.get() : insertFreed(connection, names, once);
        link(connection, added);
        Map<TaskName, Long> ids = new HashMap<>(2 * added.size());
        added.forEach(row -> ids.put(row.task().content().key(), row.id()));
        Notifications.tasksChanged(connection, ids.values());
        return ids;
    }

    /** Stores all tasks. Empty if a name is taken; the transaction is then as it was before. */
    private static Optional<List<AddedTask>> insertAllFree(
            Connection connection, SortedSet<TaskName> names, Function<TaskName, NewTask> reader) throws SQLException {
        Savepoint before = connection.setSavepoint();
        try {
            List<AddedTask> added = insertPages(connection, List.copyOf(names), reader, INSERT + INSERTED);
            connection.releaseSavepoint(before);
            return Optional.of(added);
        } catch (SQLException e) {
            if (!NAME_IS_TAKEN.equals(e.getSQLState())) {
                throw e;
            }
            connection.rollback(before);
            return Optional.empty();
        }
    }

    /** Empty if the name is taken. */
    static OptionalLong insert(Connection connection, NewTask task) throws SQLException {
        TaskName name = task.content().key();
        Long id = insert(connection, new TreeSet<>(Set.of(name)), any -> task).get(name);
        return id == null ? OptionalLong.empty() : OptionalLong.of(id);
    }

    /**
     * Stores tasks with free names, then removes finished tasks that have one of the other names and stores those too.
     */
    private static List<AddedTask> insertFreed(
            Connection connection, SortedSet<TaskName> names, Function<TaskName, NewTask> reader) throws SQLException {
        String unlessTaken = INSERT + UNLESS_TAKEN + INSERTED;
        List<AddedTask> added = new ArrayList<>(insertPages(connection, List.copyOf(names), reader, unlessTaken));
        if (added.size() == names.size()) {
            return added;
        }
        SortedSet<TaskName> taken = new TreeSet<>(names);
        added.forEach(row -> taken.remove(row.task().content().key()));
        if (removeFinished(connection, taken)) {
            added.addAll(insertPages(connection, List.copyOf(taken), reader, unlessTaken));
        }
        return added;
    }

    private static boolean removeFinished(Connection connection, SortedSet<TaskName> names) throws SQLException {
        List<Long> finished;
        try (PreparedStatement statement = connection.prepareStatement(FINISHED)) {
            new ColumnArrays<>(statement, 1, List.copyOf(names))
                    .texts(TaskName::app)
                    .texts(TaskName::name);
            finished = Rows.all(statement, row -> row.getLong(1));
        }
        if (finished.isEmpty()) {
            return false;
        }
        try (PreparedStatement statement = connection.prepareStatement(REMOVE)) {
            statement.setArray(1, connection.createArrayOf("bigint", finished.toArray()));
            statement.executeUpdate();
        }
        Notifications.tasksChanged(connection, finished);
        return true;
    }

    private static List<AddedTask> insertPages(
            Connection connection, List<TaskName> names, Function<TaskName, NewTask> reader, String sql)
            throws SQLException {
        List<AddedTask> added = new ArrayList<>(names.size());
        for (int from = 0; from < names.size(); from += ROWS_A_STATEMENT) {
            List<TaskName> page = names.subList(from, Math.min(names.size(), from + ROWS_A_STATEMENT));
            List<AddedTask> some = insert(connection, page.stream().map(reader).toList(), sql);
            enterStates(connection, some);
            added.addAll(some);
        }
        return added;
    }

    private static void link(Connection connection, List<AddedTask> added) throws SQLException {
        CalendarLinks links = new CalendarLinks();
        added.stream()
                .filter(row -> !row.task().calendars().isEmpty())
                .forEach(row -> links.add(row.id(), row.task().calendars()));
        links.write(connection);
    }

    private static List<AddedTask> insert(Connection connection, List<NewTask> rows, String sql) throws SQLException {
        Map<TaskName, NewTask> byName = new HashMap<>(2 * rows.size());
        rows.forEach(row -> byName.put(row.content().key(), row));
        Map<Kind, Integer> kinds = new LinkedHashMap<>();
        rows.forEach(row -> kinds.putIfAbsent(Kind.of(row), kinds.size() + 1));
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            new ColumnArrays<>(statement, 1, List.copyOf(kinds.keySet()))
                    .texts(Kind::owner)
                    .lists(Kind::tags)
                    .texts(Kind::handlerType)
                    .texts(Kind::handlerKey)
                    .texts(Kind::definition);
            new ColumnArrays<>(statement, 6, rows)
                    .texts(row -> row.content().app())
                    .texts(row -> row.content().name())
                    .longs(row -> kinds.get(Kind.of(row)))
                    .texts(row -> row.parts().data())
                    .optionalLongs(row -> row.parts().startMillis())
                    .optionalLongs(row -> row.parts().atMillis());
            return Rows.all(
                    statement,
                    row -> new AddedTask(row.getLong(1), byName.get(new TaskName(row.getString(2), row.getString(3)))));
        }
    }

    private static void enterStates(Connection connection, List<AddedTask> added) throws SQLException {
        if (added.isEmpty()) {
            return;
        }
        try (PreparedStatement statement = connection.prepareStatement(STATES)) {
            new ColumnArrays<>(statement, 1, added)
                    .longs(AddedTask::id)
                    .longs(row -> row.task().priority())
                    .texts(row -> row.task().progress().state().name())
                    .texts(row -> row.task().progress().reason())
                    .optionalLongs(row -> row.task().progress().nextFireMillis());
            List<Long> soon = new ArrayList<>();
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    if (row.getBoolean(2)) {
                        soon.add(row.getLong(1));
                    }
                }
            }
            markRepeatedNames(connection, soon);
        }
    }

    /** Marks tasks that are due soon and may have fired under the same name before. */
    static void markRepeatedNames(Connection connection, List<Long> ids) throws SQLException {
        if (ids.isEmpty()) {
            return;
        }
        try (PreparedStatement statement = connection.prepareStatement(HAS_FIRED_BEFORE)) {
            statement.setArray(1, connection.createArrayOf("bigint", ids.toArray()));
            statement.executeUpdate();
        }
    }
}
