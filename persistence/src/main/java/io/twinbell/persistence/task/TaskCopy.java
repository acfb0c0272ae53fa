package io.twinbell.persistence.task;

import io.twinbell.persistence.database.Rows;
import io.twinbell.persistence.task.TaskInsert.AddedTask;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** Stores many new tasks with free names by COPY, which costs the server little more than half of an INSERT. */
final class TaskCopy {
    private static final String NAME_IS_TAKEN = "23505";
    /**
     * Reads ids and the time beforehand: if COPY has to compute a column's time itself, it stores each row separately.
     */
    private static final String IDS = """
            select array_agg(nextval('twinbell.task_id_seq')),
                   (select (extract(epoch from clock_timestamp()) * 1000000)::bigint) from generate_series(1, ?)""";

    private static final List<String> OF_TASK = List.of(
            "id",
            "app",
            "name",
            "owner",
            "tags",
            "handler_type",
            "handler_key",
            "definition",
            "created_at",
            "updated_at");
    private static final List<String> OF_STATE =
            List.of("task_id", "priority", "state", "state_reason", "next_fire_time", "planned_from", "planned_at");

    /**
     * Tasks due within this time are checked for earlier slots of the same name, because they may be due seconds after
     * all are stored.
     */
    private static final long SOON_MILLIS = TimeUnit.SECONDS.toMillis(60);

    private final Connection connection;
    private final Iterator<Long> ids;
    private final long nowMicros;

    private TaskCopy(Connection connection, Iterator<Long> ids, long nowMicros) {
        this.connection = connection;
        this.ids = ids;
        this.nowMicros = nowMicros;
    }

    /** Stores all tasks. Empty if a name is taken; the transaction is then as it was before. */
    static Optional<List<AddedTask>> store(
            Connection connection, SortedSet<TaskName> names, Function<TaskName, NewTask> reader) throws SQLException {
        Savepoint before = connection.setSavepoint();
        try {
            TaskCopy copy = prepare(connection, names.size());
            List<AddedTask> added = copy.storeTasks(names, reader);
            copy.storeStates(added);
            TaskInsert.markRepeatedNames(connection, copy.soonDue(added));
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

    private static TaskCopy prepare(Connection connection, int count) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(IDS)) {
            statement.setInt(1, count);
            return Rows.only(
                    statement,
                    row -> new TaskCopy(
                            connection,
                            List.of((Long[]) row.getArray(1).getArray()).iterator(),
                            row.getLong(2)));
        }
    }

    private List<AddedTask> storeTasks(SortedSet<TaskName> names, Function<TaskName, NewTask> reader)
            throws SQLException {
        List<AddedTask> added = new ArrayList<>(names.size());
        try (CopyRows rows = new CopyRows(connection, "twinbell.task", OF_TASK)) {
            for (TaskName name : names) {
                AddedTask task = new AddedTask(ids.next(), reader.apply(name));
                write(task.id(), task.task().content(), rows);
                added.add(task);
            }
            rows.finish();
        }
        return added;
    }

    private void write(long id, TaskContent content, CopyRows rows) throws SQLException {
        rows.row();
        rows.bigint(id);
        rows.text(content.app());
        rows.text(content.name());
        rows.text(content.owner());
        rows.texts(content.tags());
        rows.text(content.handlerType());
        rows.text(content.handlerKey());
        rows.jsonb(content.definition());
        rows.micros(nowMicros);
        rows.micros(nowMicros);
    }

    private void storeStates(List<AddedTask> added) throws SQLException {
        try (CopyRows rows = new CopyRows(connection, "twinbell.task_state", OF_STATE)) {
            for (AddedTask task : added) {
                TaskProgress progress = task.task().progress();
                rows.row();
                rows.bigint(task.id());
                rows.smallint(task.task().priority());
                rows.text(progress.state().name());
                rows.text(progress.reason());
                writeMillis(progress.nextFireMillis(), rows);
                writeMillis(progress.nextFireMillis(), rows);
                rows.micros(nowMicros);
            }
            rows.finish();
        }
    }

    private List<Long> soonDue(List<AddedTask> added) {
        long soonMillis = TimeUnit.MICROSECONDS.toMillis(nowMicros) + SOON_MILLIS;
        return added.stream()
                .filter(row -> row.task().progress().nextFireMillis().orElse(Long.MAX_VALUE) < soonMillis)
                .map(AddedTask::id)
                .toList();
    }

    private static void writeMillis(OptionalLong millis, CopyRows rows) {
        if (millis.isPresent()) {
            rows.micros(TimeUnit.MILLISECONDS.toMicros(millis.getAsLong()));
        } else {
            rows.none();
        }
    }
}
