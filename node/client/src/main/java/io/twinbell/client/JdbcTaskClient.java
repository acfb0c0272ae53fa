package io.twinbell.client;

import com.fasterxml.jackson.databind.JsonNode;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import javax.sql.DataSource;

/**
 * Stores tasks and runs executions again by the SQL functions of the pair's schema, in the transaction of the
 * application: if that rolls back, nothing was scheduled. The role of the connection needs {@code execute} on
 * {@code add_tasks}, {@code schedule} and {@code cancel_task}, and for executions on {@code list_executions}, {@code
 * rerun_execution} and {@code rerun_executions}. A call that fails also fails the transaction, as every error of
 * PostgreSQL does.
 */
public final class JdbcTaskClient extends TaskClient {
    /** The SQLSTATE of {@code raise warning}. */
    private static final String WARNING = "01000";

    /** The place of the first task in a list. */
    private static final String ONLY_ONE = "/0: ";

    private static final int MOST_LISTED = 1000;

    /**
     * The answers of the API that correspond to an SQLSTATE. 22021 and 22P05: a text has a character that PostgreSQL
     * does not store, such as NUL.
     */
    private static final Map<String, Integer> REFUSALS = Map.of(
            "22021", 400, "22023", 400, "22P05", 400, "23505", 409, "25001", 409, "42501", 403, "P0002", 404, "55000",
            409);

    private final TaskFunctions functions;

    /** Lends the connection of the current transaction. Frameworks implement it with their own bookkeeping. */
    public interface ConnectionLender {
        Connection borrow() throws SQLException;

        /** Takes back a connection; the default leaves it open. */
        default void giveBack(Connection connection) throws SQLException {}
    }

    /**
     * The functions of the schema that a client calls. A client usually calls them by SQL. The test kit has them in memory.
     * They throw {@link TaskRefusedException} and {@link PairUnavailableException} as the methods of the client do.
     */
    public interface TaskFunctions {
        /**
         * Stores all tasks, or none.
         *
         * @param tasks JSON objects in the form of the HTTP API, each with app and name. The member {@code ifExists} may say
         *     KEEP or REPLACE
         */
        AddedTasks add(List<String> tasks);

        /**
         * Waits until the master has read a committed task; returns false if none has within the time. Functions that
         * read tasks while they store them have nothing to wait for.
         */
        default boolean await(long taskId, Duration timeout) {
            return true;
        }

        /** Removes a task; returns false if there is none, or if it has fired for the last time. */
        boolean cancel(String app, String name);

        /**
         * Lists executions, the newest fire time first.
         *
         * @param most the maximum number, at least 1
         * @param after null, or the id of an execution that the list begins after
         */
        List<ExecutionView> list(String app, ExecutionSelection which, int most, String after);

        /** Runs an ended execution again, and returns it as it is then. */
        ExecutionView rerun(String executionId, String reason);

        /** Runs ended executions again, at most 10,000, and returns their number. */
        int rerunAll(String app, ExecutionSelection which, String reason);
    }

    /**
     * What {@link TaskFunctions#add} has stored.
     *
     * @param ids of the tasks, in their order
     * @param results what happened to each task, in their order
     * @param warnings what is unusual about them, such as a handler key that no node has
     */
    public record AddedTasks(List<Long> ids, List<StoredTask.StoreResult> results, List<String> warnings) {}

    private JdbcTaskClient(
            String app, TaskFunctions functions, Supplier<String> traceparent, HandlerDefaults defaults) {
        super(app, traceparent, defaults);
        this.functions = functions;
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
        return calling(new SqlFunctions(connections, "\"twinbell\""), app);
    }

    /** Returns a client that calls these functions, in place of those of a database: for tests. */
    public static JdbcTaskClient calling(TaskFunctions functions, String app) {
        return new JdbcTaskClient(app, functions, null, HandlerDefaults.NONE);
    }

    /**
     * Returns the same client for a pair with another {@code database.schema}.
     *
     * @throws IllegalStateException if the client does not call the functions of a database
     */
    public JdbcTaskClient inSchema(String schema) {
        if (!(functions instanceof SqlFunctions sql)) {
            throw new IllegalStateException("this client does not call the functions of a database");
        }
        String quoted = '"' + given("schema", schema).replace("\"", "\"\"") + '"';
        return new JdbcTaskClient(app, new SqlFunctions(sql.connections(), quoted), traceparent, defaults);
    }

    /**
     * Returns the same client, with payloads that carry the current trace context.
     *
     * @param traceparent the header of W3C Trace Context, or null outside a trace
     */
    public JdbcTaskClient tracedBy(Supplier<String> traceparent) {
        return new JdbcTaskClient(app, functions, traceparent, defaults);
    }

    /**
     * Returns the same client, whose tasks of java handlers get this retry unless they have one.
     *
     * @param byKey returns the retry for the key of a handler, or null for the default of the app
     */
    public JdbcTaskClient retrying(Function<String, RetryPolicy> byKey) {
        return new JdbcTaskClient(app, functions, traceparent, defaults.withRetries(byKey));
    }

    /**
     * Returns the same client, whose tasks of java handlers have this policy for runs whose node dies, unless they say
     * otherwise.
     *
     * @param byKey returns the policy for the key of a handler, or null for the default of the app
     */
    public JdbcTaskClient orphans(Function<String, TaskDraft.OrphanHandling> byKey) {
        return new JdbcTaskClient(app, functions, traceparent, defaults.withOrphans(byKey));
    }

    @Override
    public <T> StoredTask schedule(HandlerKey<T> key, String name, Instant at, T payload) {
        TaskDraft task = schedule(key, payload).at(at).draft().name(name).inApp(app);
        if (!complete(task).json().equals(task.json()) || !(functions instanceof SqlFunctions sql)) {
            return put(task, IfTaskExists.KEEP);
        }
        AddedTasks added = sql.schedule(task);
        log(added.warnings());
        return new StoredTask(added.ids().get(0), app, name, added.results().get(0));
    }

    @Override
    public StoredTask put(TaskDraft task, IfTaskExists ifExists) {
        return addAll(List.of(task), ifExists).get(0);
    }

    @Override
    public List<StoredTask> addAll(List<TaskDraft> tasks, IfTaskExists ifExists) {
        List<TaskDraft> complete = complete(tasks);
        // Without ifExists the function stores all tasks with one statement.
        List<String> texts = complete.stream()
                .map(task -> ifExists == IfTaskExists.REFUSE
                        ? task.json()
                        : ClientJson.with(task.json(), "ifExists", ifExists))
                .map(Object::toString)
                .toList();
        AddedTasks added;
        try {
            added = functions.add(texts);
        } catch (TaskRefusedException e) {
            throw complete.size() == 1 && e.getMessage().startsWith(ONLY_ONE)
                    ? new TaskRefusedException(e.status(), e.getMessage().substring(ONLY_ONE.length()), e)
                    : e;
        }
        log(added.warnings());
        List<StoredTask> stored = new ArrayList<>(complete.size());
        for (TaskDraft task : complete) {
            int place = stored.size();
            stored.add(new StoredTask(
                    added.ids().get(place),
                    task.text("app"),
                    task.text("name"),
                    ifExists == IfTaskExists.REFUSE
                            ? StoredTask.StoreResult.CREATED
                            : added.results().get(place)));
        }
        return stored;
    }

    /**
     * Waits until the master has read a task that an earlier transaction stored. The database checks only what it needs
     * to store a task; what its schedule, handler and policies mean is the master's to judge. Call this after the
     * commit, in no transaction or a new one.
     *
     * @param timeout at most a minute
     * @return false if no master has read the task within the time
     * @throws TaskRefusedException with status 400 and the reason if the master could not read the task, which has state
     *     ERROR then; with status 404 if there is no such task; with status 409 in the transaction that stored it
     */
    public boolean await(StoredTask task, Duration timeout) {
        return functions.await(task.id(), timeout);
    }

    @Override
    public boolean cancel(String name) {
        return functions.cancel(app, name);
    }

    @Override
    public ExecutionView.Listed executions(ExecutionSelection which, int limit, String after) {
        if (limit < 1 || limit > MOST_LISTED) {
            throw new TaskRefusedException(400, "the limit must be 1 to " + MOST_LISTED + ", not " + limit);
        }
        // One more tells whether there is a next page.
        List<ExecutionView> found = functions.list(app, which, limit + 1, after);
        boolean hasMore = found.size() > limit;
        return new ExecutionView.Listed(
                hasMore ? List.copyOf(found.subList(0, limit)) : found,
                hasMore ? found.get(limit - 1).id() : null);
    }

    @Override
    public ExecutionView rerun(String executionId, String reason) {
        return functions.rerun(given("executionId", executionId), given("reason", reason));
    }

    @Override
    public int rerunAll(ExecutionSelection which, String reason) {
        return functions.rerunAll(app, which, given("reason", reason));
    }

    private static String given(String parameter, String value) {
        if (value == null) {
            throw new IllegalArgumentException(parameter + " must not be null");
        }
        return value;
    }

    /** Calls the functions of the schema, whose name is in quotes, on connections of the application. */
    private record SqlFunctions(ConnectionLender connections, String schema) implements TaskFunctions {
        /** Reads the rows of a statement. */
        private interface Reading<R> {
            R read(ResultSet rows) throws SQLException;
        }

        @Override
        public AddedTasks add(List<String> tasks) {
            List<String> warnings = new ArrayList<>();
            String list = "[" + String.join(",", tasks) + "]";
            // The results of all tasks come with the first one, because they are one text for the whole call.
            String add = "select a.id, case when a.place = 1 then current_setting('twinbell.stored', true) end from "
                    + schema + ".add_tasks(?::jsonb) with ordinality as a (id, place)";
            return query(add, List.of(list), warnings, rows -> {
                List<Long> ids = new ArrayList<>(tasks.size());
                String results = null;
                while (rows.next()) {
                    results = ids.isEmpty() ? rows.getString(2) : results;
                    ids.add(rows.getLong(1));
                }
                return new AddedTasks(ids, results(results), warnings);
            });
        }

        /** @param words null if there was no task */
        private static List<StoredTask.StoreResult> results(String words) {
            return words == null
                    ? List.of()
                    : Stream.of(words.split(","))
                            .map(StoredTask.StoreResult::of)
                            .toList();
        }

        /** Stores a task that has only app, name, a java handler, an instant and data. */
        AddedTasks schedule(TaskDraft task) {
            String sql = "select s.id, current_setting('twinbell.stored') from " + schema
                    + ".schedule(?::text, ?::text, ?::text, ?::timestamptz, ?::jsonb) as s(id)";
            JsonNode data = task.json().get("data");
            List<String> parameters = Arrays.asList(
                    task.text("app"),
                    task.javaKey(),
                    task.text("name"),
                    task.json().path("schedule").path("at").textValue(),
                    data == null ? null : data.toString());
            List<String> warnings = new ArrayList<>();
            return query(sql, parameters, warnings, rows -> {
                rows.next();
                return new AddedTasks(List.of(rows.getLong(1)), results(rows.getString(2)), warnings);
            });
        }

        @Override
        public boolean await(long taskId, Duration timeout) {
            String sql = "select " + schema + ".await_task(" + taskId + ", ?::bigint * interval '1 ms')";
            return first(sql, List.of(Long.toString(timeout.toMillis())), row -> row.getString(1) != null);
        }

        @Override
        public boolean cancel(String app, String name) {
            String sql = "select " + schema + ".cancel_task(?::text, ?::text)";
            return first(sql, List.of(app, name), row -> row.getBoolean(1));
        }

        @Override
        public List<ExecutionView> list(String app, ExecutionSelection which, int most, String after) {
            String sql = "select " + schema + ".list_executions(?::text, ?::jsonb, " + most + ", ?::text)";
            return query(sql, Arrays.asList(app, which.json(), after), rows -> {
                List<ExecutionView> items = new ArrayList<>();
                while (rows.next()) {
                    items.add(ExecutionView.of(rows.getString(1)));
                }
                return items;
            });
        }

        @Override
        public ExecutionView rerun(String executionId, String reason) {
            String sql = "select " + schema + ".rerun_execution(?::text, ?::text)";
            return first(sql, List.of(executionId, reason), row -> ExecutionView.of(row.getString(1)));
        }

        @Override
        public int rerunAll(String app, ExecutionSelection which, String reason) {
            String sql = "select " + schema + ".rerun_executions(?::text, ?::jsonb, ?::text)";
            return first(sql, List.of(app, which.json(), reason), row -> row.getInt(1));
        }

        private <R> R first(String sql, List<String> parameters, Reading<R> reading) {
            return query(sql, parameters, rows -> {
                rows.next();
                return reading.read(rows);
            });
        }

        private <R> R query(String sql, List<String> parameters, Reading<R> reading) {
            List<String> warnings = new ArrayList<>();
            R result = query(sql, parameters, warnings, reading);
            log(warnings);
            return result;
        }

        private <R> R query(String sql, List<String> parameters, List<String> warnings, Reading<R> reading) {
            try {
                Connection connection = connections.borrow();
                try (PreparedStatement statement = connection.prepareStatement(sql)) {
                    for (int i = 0; i < parameters.size(); i++) {
                        statement.setString(i + 1, parameters.get(i));
                    }
                    try (ResultSet rows = statement.executeQuery()) {
                        warnings.addAll(warnings(statement));
                        return reading.read(rows);
                    }
                } finally {
                    connections.giveBack(connection);
                }
            } catch (SQLException e) {
                throw translated(e);
            }
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
            return new TaskRefusedException(status, sentence(e), e);
        }
        boolean lacksSchema = "3F000".equals(e.getSQLState());
        String what =
                lacksSchema ? "no node has created this schema yet: " : "the database did not carry out the call: ";
        return new PairUnavailableException(what + sentence(e), !lacksSchema, e);
    }

    /** The message with its hint, but without the lines of the functions that raised it. */
    private static String sentence(SQLException e) {
        return String.valueOf(e.getMessage())
                .replaceFirst("(?s)\\R *Where: .*", "")
                .replaceFirst("^ERROR: ", "");
    }
}
