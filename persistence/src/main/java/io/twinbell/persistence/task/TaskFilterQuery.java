package io.twinbell.persistence.task;

import io.twinbell.persistence.database.Conditions;
import io.twinbell.persistence.database.Rows;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Finds the tasks that a filter selects, in id order.
 *
 * <p>If a statement asks for the first rows in id order, the planner assumes that matching tasks are evenly spread, and
 * reads tasks one by one until the page is full. That is right for a filter that matches many tasks, and takes seconds
 * for one that matches three of a million. So only the next {@value #NEAR} tasks are read that way. If they do not fill
 * the page, a second statement collects every other match by the best index, or by one pass over the table, and sorts
 * what it found.
 */
final class TaskFilterQuery {
    static final int NEAR = 10_000;

    /** Not the expression of any index, so that the planner does not read the tasks in id order. */
    private static final String SORTED = " order by t.id + 0 limit ";

    private static final String CANCELLED = "57014";

    private TaskFilterQuery() {}

    /** Reads rows of {@code task t} joined with {@code task_state s}. */
    @FunctionalInterface
    interface RowReader<T> {
        List<T> read(Connection connection, Conditions conditions, String tail) throws SQLException;
    }

    /**
     * The first {@code limit} tasks after {@code afterId}, up to {@code lastId} unless that is null or near. A shorter
     * list means that there are no more: each row is selected by the statement that reads it.
     */
    static <T> List<T> page(
            Connection connection, TaskFilter filter, long afterId, Long lastId, int limit, RowReader<T> reader)
            throws SQLException {
        Optional<Long> lastNear = filter.selectsAll() ? Optional.empty() : idAfter(connection, afterId, NEAR);
        Conditions near = conditions(filter).and("t.id > ? and s.task_id > ?", afterId, afterId);
        lastNear.ifPresent(last -> near.and("t.id <= ? and s.task_id <= ?", last, last));
        List<T> rows = new ArrayList<>(reader.read(connection, near, " order by t.id limit " + limit));
        if (lastNear.isPresent() && rows.size() < limit) {
            Conditions others = after(connection, filter, lastNear.get()).andIfGiven("t.id <= ?", lastId);
            String ids = "select t.id" + from(filter) + others.where() + SORTED + (limit - rows.size());
            Conditions far = new Conditions().and("t.id in (" + ids + ")", others.values());
            rows.addAll(reader.read(connection, far, " order by t.id"));
        }
        return rows;
    }

    /** For {@link TaskStore#search}. */
    static TaskStore.Found search(
            Connection connection,
            TaskFilter filter,
            long afterId,
            int limit,
            Duration longest,
            int most,
            RowReader<Task> reader)
            throws SQLException {
        Savepoint before = connection.setSavepoint();
        try (Statement statement = connection.createStatement()) {
            statement.execute("set local statement_timeout = " + longest.toMillis());
            List<Task> all = page(connection, filter, afterId, null, limit, reader);
            // This takes back the time limit, which would hold for the rest of the transaction.
            connection.rollback(before);
            return new TaskStore.Found(all, Optional.empty());
        } catch (SQLException e) {
            if (!CANCELLED.equals(e.getSQLState())) {
                throw e;
            }
            connection.rollback(before);
        }
        Optional<Long> last = idAfter(connection, afterId, most);
        return new TaskStore.Found(page(connection, filter, afterId, last.orElse(null), limit, reader), last);
    }

    /** The number of tasks after {@code afterId} that the filter selects. */
    static long count(Connection connection, TaskFilter filter, long afterId) throws SQLException {
        Conditions conditions = after(connection, filter, afterId);
        return first(connection, "select count(*)" + from(filter) + conditions.where(), conditions)
                .orElseThrow();
    }

    /** The conditions on {@code task t}, its state {@code s} and its {@code definition d}. */
    static Conditions conditions(TaskFilter filter) {
        return ofDefinition(ofTask(filter), filter);
    }

    private static Conditions ofTask(TaskFilter filter) {
        Conditions conditions = new Conditions()
                .andIfGiven("t.app = ?", filter.app())
                .andIfGiven(
                        "s.state = ?",
                        filter.state() == null ? null : filter.state().name());
        return filter.namePart() == null
                ? conditions
                : conditions.and(
                        nameCondition(filter.namePart()),
                        "%" + filter.namePart().replaceAll("[\\\\%_]", "\\\\$0") + "%");
    }

    private static Conditions ofDefinition(Conditions conditions, TaskFilter filter) {
        String key = filter.handler();
        conditions
                .andIfGiven("d.tags <> '{}' and d.tags @> array[?::text]", filter.tag())
                .andIfGiven("d.owner = ?", filter.owner());
        return key == null ? conditions : conditions.and("(d.handler_type = ? or d.handler_key = ?)", key, key);
    }

    /**
     * LIKE takes a fifth of the time of position(), and lets the planner estimate how rare the part is. In the
     * collation C, lower() changes ASCII letters alone and takes half the time.
     */
    private static String nameCondition(String part) {
        return StandardCharsets.US_ASCII.newEncoder().canEncode(part)
                ? "lower(t.name collate \"C\") like lower(? collate \"C\")"
                : "lower(t.name) like lower(?)";
    }

    /**
     * Finds the definitions first: usually they are few, tasks have an index on theirs, and only from a list does the
     * planner know how many there are. Bounds both tables: the planner does not derive one bound from the other, and
     * would read all earlier states.
     */
    private static Conditions after(Connection connection, TaskFilter filter, long afterId) throws SQLException {
        Conditions conditions = ofTask(filter).and("t.id > ?", afterId);
        Conditions of = ofDefinition(new Conditions(), filter);
        if (!of.where().isEmpty()) {
            try (PreparedStatement found =
                    connection.prepareStatement("select d.id from twinbell.definition d" + of.where())) {
                of.bind(found);
                List<Long> ids = Rows.all(found, row -> row.getLong(1));
                conditions.and("t.definition_id = any(?)", JdbcTaskStore.array(ids, connection));
            }
        }
        return filter.state() == null ? conditions : conditions.and("s.task_id > ?", afterId);
    }

    private static String from(TaskFilter filter) {
        return filter.state() == null ? " from twinbell.task t" : JdbcTaskStore.FROM;
    }

    private static Optional<Long> idAfter(Connection connection, long afterId, int count) throws SQLException {
        Conditions after = new Conditions().and("id > ?", afterId);
        String place = " order by id offset " + (count - 1) + " limit 1";
        return first(connection, "select id from twinbell.task" + after.where() + place, after);
    }

    private static Optional<Long> first(Connection connection, String sql, Conditions conditions) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            conditions.bind(statement);
            return Rows.first(statement, row -> row.getLong(1));
        }
    }
}
