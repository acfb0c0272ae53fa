package io.twinbell.persistence.task;

import io.twinbell.persistence.calendar.CalendarLinks;
import io.twinbell.persistence.ledger.ColumnArrays;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/** Collects the decided changes of one transaction and writes each kind of change as one batch. */
public final class TaskWrites {
    private static final String CONTENT = """
            with given as materialized (
              select g.n, g.id, p.*,
                     twinbell.definition_doc(g.owner, g.tags::text[], g.handler_type, g.handler_key, p.content) as doc
              from unnest(?::bigint[], ?::text[], ?::text[], ?::text[], ?::text[], ?::text[])
                with ordinality as g(id, owner, tags, handler_type, handler_key, definition, n)
              cross join lateral (select g.definition::jsonb as json offset 0) as j
              cross join lateral twinbell.parts(j.json) as p
            ), defined as materialized (
              select twinbell.define(array(select doc from given order by n)) as ids
            )
            update twinbell.task t
            set definition_id = d.ids[w.n], data = w.data, start_at = w.start_at, fire_at = w.fire_at,
                chained = w.chained, updated_at = clock_timestamp()
            from given w cross join defined d where t.id = w.id""";

    private static final String PROGRESS = """
            update twinbell.task_state s
            set version = twinbell.next_version(s.version), state = w.state, state_reason = w.reason,
                next_fire_time = twinbell.instant(w.next), paused_by = w.paused_by,
                paused_until = twinbell.instant(w.paused_until), off_schedule = w.off_schedule,
                priority = (select twinbell.priority(d.content) from twinbell.task t
                            join twinbell.definition d on d.id = t.definition_id where t.id = s.task_id)
            from unnest(?::bigint[], ?::text[], ?::text[], ?::bigint[], ?::text[], ?::bigint[], ?::boolean[])
              as w(id, state, reason, next, paused_by, paused_until, off_schedule)
            where s.task_id = w.id""";

    /** Exempts the rest of the transaction from quotas. */
    private static final String EXEMPT = "select set_config('twinbell.quotas', 'exempt', true)";

    private static final String REPLAN = """
            update twinbell.task_state set planned_at = clock_timestamp(),
              planned_from = coalesce(next_fire_time, date_trunc('milliseconds', clock_timestamp()))
            where task_id = any(?)""";
    /** A skipped range ends when its task is moved again; the slots up to then are entered in the ledger. */
    private static final String END_LEAP = """
            update twinbell.leap set until_time = twinbell.instant(?)
            where task_id = ? and until_time > twinbell.instant(?)""";

    private static final String LEAP = """
            insert into twinbell.leap (task_id, app, name, definition, after_time, until_time)
            select t.id, t.app, t.name, twinbell.full_definition(d.content, t.data, t.start_at, t.fire_at),
                   greatest(twinbell.instant(?), s.previous_fire_time), s.next_fire_time
            from twinbell.task t join twinbell.definition d on d.id = t.definition_id
              join twinbell.task_state s on s.task_id = t.id
            where t.id = ?""";

    private static final String REMOVE = "delete from twinbell.task where id = any(?)";
    private static final String PASSED = """
            insert into twinbell.passed_slots
              (task_id, app, name, fire_time, second_fire_time, until_fire_time, slots, state, reason)
            values (?, ?, ?, twinbell.instant(?), twinbell.instant(?), twinbell.instant(?), ?, ?, ?)""";

    private static final String CATCH_UP = """
            insert into twinbell.execution (task_id, fire_time, app, name, state, reason, origin, in_turn)
            select w.id, twinbell.instant(w.fire), w.app, w.name, 'PENDING', w.reason, 'CAUGHT_UP', true
            from unnest(?::bigint[], ?::bigint[], ?::text[], ?::text[], ?::text[]) as w(id, fire, app, name, reason)
            order by w.fire, w.id
            on conflict do nothing""";

    private static final String AUDIT_CATCH_UP = "select twinbell.audit_catch_up(?, ?)";

    private final List<Rewritten> rewritten = new ArrayList<>();
    /**
     * Tasks whose slots follow another plan from now on, including tasks whose next fire time a calendar left
     * unchanged.
     */
    private final List<Long> replanned = new ArrayList<>();

    private final List<Long> removed = new ArrayList<>();
    private final List<PassedTask> bindPassedSlots = new ArrayList<>();
    private final List<CaughtUp> caughtUp = new ArrayList<>();
    private final List<Long> ids = new ArrayList<>();
    private final CalendarLinks calendars = new CalendarLinks();
    private final SortedMap<TaskName, Renewed> renewed = new TreeMap<>();
    private final Map<Long, Long> successors = new HashMap<>();

    private record Renewed(long finishedId, NewTask successor) {}

    private record Rewritten(Task task, TaskChange.Rewrite change, long atMillis) {
        boolean hasNewContent() {
            return !task.content().equals(change.content());
        }

        /**
         * A skipped range leads to a fire time that is valid off the schedule, and is over when that fire time is
         * claimed.
         */
        boolean mayEndALeap() {
            return task.progress().offSchedule() && isMoved();
        }

        boolean leaps() {
            return change.progress().offSchedule() && isMoved();
        }

        private boolean isMoved() {
            return !task.progress().nextFireMillis().equals(change.progress().nextFireMillis());
        }
    }

    private record PassedTask(long taskId, TaskName name, PassedSlots slots) {}

    private record CaughtUp(long taskId, TaskName name, long fireMillis, String reason) {}

    public int size() {
        return ids.size();
    }

    /** @param atMillis the time of the decision */
    public void add(Task task, TaskChange change, long atMillis) {
        if (change instanceof TaskChange.Rewrite rewrite) {
            ids.add(task.id());
            rewritten.add(new Rewritten(task, rewrite, atMillis));
            if (rewrite.replanned()) {
                replanned.add(task.id());
            }
            bindPassedSlots(task.id(), task.content().key(), rewrite.passed());
            addCaughtUp(task, rewrite.caughtUp());
            rewrite.calendars().ifPresent(versions -> calendars.add(task.id(), versions));
        } else if (change instanceof TaskChange.Remove remove) {
            ids.add(task.id());
            removed.add(task.id());
            bindPassedSlots(task.id(), task.content().key(), remove.passed());
        } else if (change instanceof TaskChange.Renew renew) {
            ids.add(task.id());
            removed.add(task.id());
            renewed.put(task.content().key(), new Renewed(task.id(), renew.successor()));
        } else if (change instanceof TaskChange.Confirm confirm) {
            calendars.add(task.id(), confirm.calendars());
            replanned.add(task.id());
        }
    }

    /** The ids of new tasks, by the id of the finished task that each replaced. Call it after {@link #perform}. */
    Map<Long, Long> successors() {
        return successors;
    }

    public void bindPassedSlots(long taskId, TaskName name, Optional<PassedSlots> slots) {
        slots.ifPresent(some -> bindPassedSlots.add(new PassedTask(taskId, name, some)));
    }

    private void addCaughtUp(Task task, CaughtUpSlots slots) {
        for (long fireMillis : slots.fireMillis()) {
            caughtUp.add(new CaughtUp(task.id(), task.content().key(), fireMillis, slots.reason()));
        }
    }

    /**
     * Writes changes that the master makes by itself. The tasks were accepted before, so no quota refuses the changes.
     */
    public void performExempt(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(EXEMPT)) {
            statement.execute();
        }
        perform(connection);
    }

    public void perform(Connection connection) throws SQLException {
        List<Rewritten> anew =
                rewritten.stream().filter(Rewritten::hasNewContent).toList();
        together(connection, CONTENT, anew, TaskWrites::content);
        together(connection, PROGRESS, rewritten, TaskWrites::progress);
        batch(
                connection,
                END_LEAP,
                rewritten.stream().filter(Rewritten::mayEndALeap).toList(),
                TaskWrites::bindSkippedRangeEnd);
        batch(connection, LEAP, rewritten.stream().filter(Rewritten::leaps).toList(), TaskWrites::bindSkippedRange);
        calendars.write(connection);
        together(connection, REPLAN, replanned, rows -> rows.longs(id -> id));
        together(connection, REMOVE, removed, rows -> rows.longs(id -> id));
        renew(connection);
        batch(connection, PASSED, bindPassedSlots, TaskWrites::bindPassedSlots);
        together(connection, CATCH_UP, caughtUp, TaskWrites::catchUp);
        together(connection, AUDIT_CATCH_UP, caughtUp, TaskWrites::slots);
        Notifications.tasksChanged(connection, ids);
        if (!bindPassedSlots.isEmpty() || !caughtUp.isEmpty()) {
            Notifications.ledgerHasWork(connection);
        }
    }

    private void renew(Connection connection) throws SQLException {
        if (!renewed.isEmpty()) {
            Map<TaskName, Long> added = TaskInsert.insert(
                    connection,
                    new TreeSet<>(renewed.keySet()),
                    name -> renewed.get(name).successor());
            added.forEach((name, id) -> successors.put(renewed.get(name).finishedId(), id));
        }
    }

    private static void content(ColumnArrays<Rewritten> rows) throws SQLException {
        rows.longs(row -> row.task().id());
        rows.texts(row -> row.change().content().owner());
        rows.lists(row -> row.change().content().tags());
        rows.texts(row -> row.change().content().handlerType());
        rows.texts(row -> row.change().content().handlerKey());
        rows.texts(row -> row.change().content().definition());
    }

    private static void progress(ColumnArrays<Rewritten> rows) throws SQLException {
        rows.longs(row -> row.task().id());
        rows.texts(row -> row.change().progress().state().name());
        rows.texts(row -> row.change().progress().reason());
        rows.optionalLongs(row -> row.change().progress().nextFireMillis());
        rows.texts(row -> row.change().progress().pause().by());
        rows.optionalLongs(row -> row.change().progress().pause().untilMillis());
        rows.booleans(row -> row.change().progress().offSchedule());
    }

    private static void slots(ColumnArrays<CaughtUp> rows) throws SQLException {
        rows.longs(CaughtUp::taskId);
        rows.longs(CaughtUp::fireMillis);
    }

    private static void catchUp(ColumnArrays<CaughtUp> rows) throws SQLException {
        slots(rows);
        rows.texts(row -> row.name().app());
        rows.texts(row -> row.name().name());
        rows.texts(CaughtUp::reason);
    }

    private static void bindSkippedRangeEnd(PreparedStatement statement, Rewritten row) throws SQLException {
        long end = row.atMillis() + 1;
        statement.setLong(1, end);
        statement.setLong(2, row.task().id());
        statement.setLong(3, end);
    }

    private static void bindSkippedRange(PreparedStatement statement, Rewritten row) throws SQLException {
        statement.setLong(1, row.atMillis());
        statement.setLong(2, row.task().id());
    }

    private static void bindPassedSlots(PreparedStatement statement, PassedTask row) throws SQLException {
        PassedSlots slots = row.slots();
        statement.setLong(1, row.taskId());
        statement.setString(2, row.name().app());
        statement.setString(3, row.name().name());
        statement.setLong(4, slots.firstMillis());
        statement.setLong(5, slots.secondMillis());
        statement.setLong(6, slots.lastMillis());
        statement.setLong(7, slots.slots());
        statement.setString(8, slots.outcome().name());
        statement.setString(9, slots.reason());
    }

    @FunctionalInterface
    private interface Binding<T> {
        void bind(T rows) throws SQLException;
    }

    /** Writes all rows in one statement, because many tasks may be replaced, moved or removed at once. */
    private static <T> void together(Connection connection, String sql, List<T> rows, Binding<ColumnArrays<T>> binding)
            throws SQLException {
        if (!rows.isEmpty()) {
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                binding.bind(new ColumnArrays<>(statement, 1, rows));
                statement.execute();
            }
        }
    }

    @FunctionalInterface
    private interface RowBinding<T> {
        void bind(PreparedStatement statement, T row) throws SQLException;
    }

    private static <T> void batch(Connection connection, String sql, List<T> rows, RowBinding<T> binding)
            throws SQLException {
        if (rows.isEmpty()) {
            return;
        }
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (T row : rows) {
                binding.bind(statement, row);
                statement.addBatch();
            }
            statement.executeBatch();
        }
    }
}
