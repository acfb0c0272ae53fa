package io.twinbell.persistence.task;

import io.twinbell.persistence.database.Conditions;
import io.twinbell.persistence.database.Rows;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
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
    private static final String NEXT_NEAR = " order by id offset " + (NEAR - 1) + " limit 1";

    /** Not the expression of any index, so that the planner does not read the tasks in id order. */
    private static final String SORTED = " order by t.id + 0 limit ";

    static final String CONDITION = "CONDITION";
    /** Collects the definitions first: usually they are few, and tasks have an index on theirs. */
    private static final String DEFINED =
            "t.definition_id = any(array(select d.id from twinbell.definition d where " + CONDITION + "))";

    private TaskFilterQuery() {}

    /** Reads rows of {@code task t} joined with {@code task_state s}. */
    @FunctionalInterface
    interface RowReader<T> {
        List<T> read(Connection connection, Conditions conditions, String tail) throws SQLException;
    }

    /**
     * The first {@code limit} tasks after {@code afterId} that the filter selects. A shorter list means that there are
     * no more: each row is selected by the statement that reads it.
     */
    static <T> List<T> page(Connection connection, TaskFilter filter, long afterId, int limit, RowReader<T> reader)
            throws SQLException {
        Optional<Long> lastNear = filter.selectsAll() ? Optional.empty() : lastNear(connection, afterId);
        Conditions near = conditions(filter, CONDITION).and("t.id > ? and s.task_id > ?", afterId, afterId);
        lastNear.ifPresent(last -> near.and("t.id <= ? and s.task_id <= ?", last, last));
        List<T> rows = new ArrayList<>(reader.read(connection, near, " order by t.id limit " + limit));
        if (lastNear.isPresent() && rows.size() < limit) {
            Conditions others = after(filter, lastNear.get());
            String ids = "select t.id" + from(filter) + others.where() + SORTED + (limit - rows.size());
            Conditions far = new Conditions().and("t.id in (" + ids + ")", others.values());
            rows.addAll(reader.read(connection, far, " order by t.id"));
        }
        return rows;
    }

    /** The number of tasks after {@code afterId} that the filter selects. */
    static long count(Connection connection, TaskFilter filter, long afterId) throws SQLException {
        Conditions conditions = after(filter, afterId);
        return first(connection, "select count(*)" + from(filter) + conditions.where(), conditions)
                .orElseThrow();
    }

    /** @param of {@link #CONDITION} if {@code definition d} is joined with the tasks, {@link #DEFINED} otherwise */
    static Conditions conditions(TaskFilter filter, String of) {
        Conditions conditions = new Conditions()
                .andIfGiven("t.app = ?", filter.app())
                .andIfGiven(of.replace(CONDITION, "d.tags <> '{}' and d.tags @> array[?::text]"), filter.tag())
                .andIfGiven(of.replace(CONDITION, "d.owner = ?"), filter.owner())
                .andIfGiven(
                        "s.state = ?",
                        filter.state() == null ? null : filter.state().name());
        if (filter.namePart() != null) {
            conditions.and(nameCondition(filter.namePart()), pattern(filter.namePart()));
        }
        if (filter.handler() != null) {
            String handler = of.replace(CONDITION, "(d.handler_type = ? or d.handler_key = ?)");
            conditions.and(handler, filter.handler(), filter.handler());
        }
        return conditions;
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

    private static String pattern(String part) {
        return "%" + part.replaceAll("[\\\\%_]", "\\\\$0") + "%";
    }

    /** Bounds both tables: the planner does not derive one bound from the other, and would read all earlier states. */
    private static Conditions after(TaskFilter filter, long afterId) {
        Conditions conditions = conditions(filter, DEFINED).and("t.id > ?", afterId);
        return filter.state() == null ? conditions : conditions.and("s.task_id > ?", afterId);
    }

    private static String from(TaskFilter filter) {
        return filter.state() == null ? " from twinbell.task t" : JdbcTaskStore.FROM;
    }

    private static Optional<Long> lastNear(Connection connection, long afterId) throws SQLException {
        Conditions after = new Conditions().and("id > ?", afterId);
        return first(connection, "select id from twinbell.task" + after.where() + NEXT_NEAR, after);
    }

    private static Optional<Long> first(Connection connection, String sql, Conditions conditions) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            conditions.bind(statement);
            return Rows.first(statement, row -> row.getLong(1));
        }
    }
}
