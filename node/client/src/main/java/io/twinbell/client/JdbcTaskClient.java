package io.twinbell.client;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import javax.sql.DataSource;

/**
 * Stores tasks and runs executions again by the SQL functions of the schema {@code twinbell}, in the transaction of the
 * application: if that rolls back, nothing was scheduled. The role of the connection needs {@code execute} on
 * {@code add_tasks} and {@code remove_task}, and for executions on {@code list_executions}, {@code rerun_execution} and
 * {@code rerun_executions}. A call that fails also fails the transaction, as every error of PostgreSQL does.
 */
public final class JdbcTaskClient extends TaskClient {
    /** The SQLSTATE of {@code raise warning}. */
    private static final String WARNING = "01000";

    private static final int MOST_LISTED = 1000;

    /**
     * The answers of the API that correspond to an SQLSTATE. 22021 and 22P05: a text has a character that PostgreSQL
     * does not store, such as NUL.
     */
    private static final Map<String, Integer> REFUSALS =
            Map.of("22021", 400, "22023", 400, "22P05", 400, "23505", 409, "42501", 403, "P0002", 404, "55000", 409);

    private final ConnectionLender connections;

    /** Lends the connection of the current transaction. Frameworks implement it with their own bookkeeping. */
    public interface ConnectionLender {
        Connection borrow() throws SQLException;

        /** Takes back a connection; the default leaves it open. */
        default void giveBack(Connection connection) throws SQLException {}
    }

    private JdbcTaskClient(
            String app, ConnectionLender connections, Supplier<String> traceparent, HandlerDefaults defaults) {
        super(app, traceparent, defaults);
        this.connections = connections;
    }

    /** Returns a client that writes in the transaction which is open on this connection. It is never closed here. */
    public static JdbcTaskClient within(Connection transaction, String app) {
        return of(() -> transaction, app);
    }

    /** Returns a client for which each call is a transaction of its own. */
    public static JdbcTaskClient of(DataSource dataSource, String app) {
        return of(
                borrowing(() -> {
                    Connection connection = dataSource.getConnection();
                    try {
                        connection.setAutoCommit(true);
                        return connection;
                    } catch (SQLException | RuntimeException e) {
                        connection.close();
                        throw e;
                    }
                }),
                app);
    }

    /**
     * Returns a client for a data source that knows the current transaction, as those of Quarkus and Micronaut do. Inside
     * of a transaction, a call takes part in it. Outside of one, a call is a transaction of its own if the data source's
     * connections have auto-commit. That is the default of both frameworks; without it such a call would be lost.
     */
    public static JdbcTaskClient withinTransactionsOf(DataSource dataSource, String app) {
        return of(borrowing(dataSource::getConnection), app);
    }

    /** Lends what the method opens, and closes it after the call. */
    private static ConnectionLender borrowing(ConnectionLender opening) {
        return new ConnectionLender() {
            @Override
            public Connection borrow() throws SQLException {
                return opening.borrow();
            }

            @Override
            public void giveBack(Connection connection) throws SQLException {
                connection.close();
            }
        };
    }

    /** Returns a client that uses the connections of a framework's transactions. */
    public static JdbcTaskClient of(ConnectionLender connections, String app) {
        return new JdbcTaskClient(app, connections, null, HandlerDefaults.NONE);
    }

    /**
     * Returns the same client, with payloads that carry the current trace context.
     *
     * @param traceparent the header of W3C Trace Context, or null outside a trace
     */
    public JdbcTaskClient tracedBy(Supplier<String> traceparent) {
        return new JdbcTaskClient(app, connections, traceparent, defaults);
    }

    /**
     * Returns the same client, whose tasks of java handlers get this retry unless they have one.
     *
     * @param byKey returns the retry for the key of a handler, or null for the default of the app
     */
    public JdbcTaskClient retrying(Function<String, RetryPolicy> byKey) {
        return new JdbcTaskClient(app, connections, traceparent, defaults.withRetries(byKey));
    }

    /**
     * Returns the same client, whose tasks of java handlers have this policy for runs whose node dies, unless they say
     * otherwise.
     *
     * @param byKey returns the policy for the key of a handler, or null for the default of the app
     */
    public JdbcTaskClient orphans(Function<String, TaskDraft.OrphanHandling> byKey) {
        return new JdbcTaskClient(app, connections, traceparent, defaults.withOrphans(byKey));
    }

    @Override
    public StoredTask put(TaskDraft task, IfTaskExists ifExists) {
        return addAll(List.of(task), ifExists).get(0);
    }

    @Override
    public List<StoredTask> addAll(List<TaskDraft> tasks, IfTaskExists ifExists) {
        List<TaskDraft> complete = complete(tasks);
        ArrayNode list = JsonNodeFactory.instance.arrayNode();
        for (TaskDraft task : complete) {
            // Without ifExists the function stores all tasks with one statement.
            list.add(
                    ifExists == IfTaskExists.REFUSE ? task.json() : ClientJson.with(task.json(), "ifExists", ifExists));
        }
        return query("select twinbell.add_tasks(?::jsonb)", List.of(list.toString()), rows -> {
            List<StoredTask> stored = new ArrayList<>(complete.size());
            for (TaskDraft task : complete) {
                rows.next();
                stored.add(new StoredTask(rows.getLong(1), task.text("app"), task.text("name")));
            }
            return stored;
        });
    }

    @Override
    public boolean cancel(String name) {
        return query("select twinbell.remove_task(?::text, ?::text)", List.of(app, name), rows -> {
            rows.next();
            return rows.getBoolean(1);
        });
    }

    @Override
    public ExecutionView.Listed executions(ExecutionSelection which, int limit, String after) {
        if (limit < 1 || limit > MOST_LISTED) {
            throw new TaskRefusedException(400, "the limit must be 1 to " + MOST_LISTED + ", not " + limit, null);
        }
        // One more tells whether there is a next page.
        String sql = "select twinbell.list_executions(?::text, ?::jsonb, " + (limit + 1) + ", ?::text)";
        return query(sql, Arrays.asList(app, which.json(), after), rows -> {
            List<ExecutionView> items = new ArrayList<>();
            while (items.size() < limit && rows.next()) {
                items.add(ExecutionView.of(rows.getString(1)));
            }
            return new ExecutionView.Listed(
                    items, rows.next() ? items.get(limit - 1).id() : null);
        });
    }

    @Override
    public ExecutionView rerun(String executionId, String reason) {
        String sql = "select twinbell.rerun_execution(?::text, ?::text)";
        return query(sql, List.of(given("executionId", executionId), given("reason", reason)), rows -> {
            rows.next();
            return ExecutionView.of(rows.getString(1));
        });
    }

    @Override
    public int rerunAll(ExecutionSelection which, String reason) {
        String sql = "select twinbell.rerun_executions(?::text, ?::jsonb, ?::text)";
        return query(sql, List.of(app, which.json(), given("reason", reason)), rows -> {
            rows.next();
            return rows.getInt(1);
        });
    }

    private static String given(String parameter, String value) {
        if (value == null) {
            throw new IllegalArgumentException(parameter + " must not be null");
        }
        return value;
    }

    /** Reads the rows of a statement. */
    private interface Reading<R> {
        R read(ResultSet rows) throws SQLException;
    }

    private <R> R query(String sql, List<String> parameters, Reading<R> reading) {
        try {
            Connection connection = connections.borrow();
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                for (int i = 0; i < parameters.size(); i++) {
                    statement.setString(i + 1, parameters.get(i));
                }
                try (ResultSet rows = statement.executeQuery()) {
                    log(warnings(statement));
                    return reading.read(rows);
                }
            } finally {
                connections.giveBack(connection);
            }
        } catch (SQLException e) {
            throw translated(e);
        }
    }

    private static List<String> warnings(PreparedStatement statement) throws SQLException {
        List<String> messages = new ArrayList<>();
        for (SQLWarning warning = statement.getWarnings(); warning != null; warning = warning.getNextWarning()) {
            if (WARNING.equals(warning.getSQLState())) {
                messages.add(warning.getMessage());
            }
        }
        return messages;
    }

    private static TaskClientException translated(SQLException e) {
        // Pools and drivers also throw exceptions without a state.
        Integer status = e.getSQLState() == null ? null : REFUSALS.get(e.getSQLState());
        if (status != null) {
            return new TaskRefusedException(status, e.getMessage(), e);
        }
        return new PairUnavailableException("the database did not carry out the call: " + e.getMessage(), true, e);
    }
}
