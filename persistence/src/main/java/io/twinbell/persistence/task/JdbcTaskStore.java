package io.twinbell.persistence.task;

import io.twinbell.persistence.database.Conditions;
import io.twinbell.persistence.database.Rows;
import io.twinbell.persistence.database.Transactions;
import io.twinbell.persistence.ledger.ColumnArrays;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import javax.sql.DataSource;

/** Stores tasks in PostgreSQL. */
public final class JdbcTaskStore implements TaskStore {
    public static final String FROM = " from twinbell.task t join twinbell.definition d on d.id = t.definition_id"
            + " join twinbell.task_state s on s.task_id = t.id";
    public static final String SELECT = """
            select t.id, s.version, t.app, t.name, d.owner, d.tags, d.handler_type, d.handler_key,
                   twinbell.full_definition(d.content, t.data, t.start_at, t.fire_at),
                   s.state, s.state_reason, twinbell.millis(s.next_fire_time), twinbell.millis(s.previous_fire_time),
                   twinbell.millis(t.created_at), twinbell.millis(t.updated_at),
                   s.paused_by, twinbell.millis(s.paused_until), s.runs, s.off_schedule""";

    /**
     * Reads in the order of the index on pauses: ordered by task id, the planner might read all tasks if no such pause
     * exists. If another transaction holds one of the rows, only the end of that pause is delayed.
     */
    private static final String PAUSES_OVER = """
            select task_id from twinbell.task_state where state = 'PAUSED' and paused_until <= statement_timestamp()
            order by paused_until limit\s""" + BULK + " for update skip locked";

    private static final String ANY_OF = "t.id = any(?)";

    private static final String LOCKABLE =
            "select t.id from twinbell.task t join twinbell.task_state s on s.task_id = t.id";

    private final Transactions transactions;

    public JdbcTaskStore(DataSource pool) {
        this(new Transactions(pool));
    }

    /** @param transactions for example a single one that the caller has begun */
    public JdbcTaskStore(Transactions transactions) {
        this.transactions = transactions;
    }

    @Override
    public Optional<Task> insert(NewTask task) {
        return transactions.run("store a task", connection -> {
            OptionalLong id = TaskInsert.insert(connection, task);
            return id.isEmpty() ? Optional.empty() : find(connection, id.getAsLong());
        });
    }

    @Override
    public List<OptionalLong> insertAll(List<NewTask> tasks) {
        SortedMap<TaskName, NewTask> firstOfName = new TreeMap<>();
        tasks.forEach(task -> firstOfName.putIfAbsent(task.content().key(), task));
        Map<TaskName, Long> ids = insertAll(new TreeSet<>(firstOfName.keySet()), firstOfName::get);
        return tasks.stream()
                .map(task -> {
                    Long id = ids.get(task.content().key());
                    boolean isTheOneStored =
                            id != null && firstOfName.get(task.content().key()) == task;
                    return isTheOneStored ? OptionalLong.of(id) : OptionalLong.empty();
                })
                .toList();
    }

    @Override
    public Map<TaskName, Long> insertAll(SortedSet<TaskName> names, Function<TaskName, NewTask> reader) {
        return transactions.run("store tasks", connection -> TaskInsert.insert(connection, names, reader));
    }

    @Override
    public Stored upsert(String app, String name, Supplier<NewTask> ifAbsent, TaskDecision ifPresent) {
        return transactions.run("store a task", connection -> {
            Conditions byName = new Conditions().and("t.app = ?", app).and("t.name = ?", name);
            Optional<Task> current = lock(connection, byName, "").stream().findFirst();
            if (current.isPresent()) {
                Task changed = decide(connection, current.get(), ifPresent);
                return new Stored(changed, changed.id() != current.get().id());
            }
            long id = TaskInsert.insert(connection, ifAbsent.get()).orElseThrow(JdbcTaskStore::storedMeanwhile);
            return new Stored(find(connection, id).orElseThrow(), true);
        });
    }

    @Override
    public Optional<Task> find(long id) {
        return transactions.run("read a task", connection -> find(connection, id));
    }

    @Override
    public Map<TaskName, Long> ids(Collection<TaskName> names) {
        return transactions.run("find tasks", connection -> ids(connection, names, ""));
    }

    @Override
    public Map<TaskName, Long> unfinishedIds(Collection<TaskName> names) {
        String whoseNameIsTaken = " join twinbell.task_state s on s.task_id = t.id where s.state <> 'FINISHED'";
        return transactions.run("find tasks", connection -> ids(connection, names, whoseNameIsTaken));
    }

    private static Map<TaskName, Long> ids(Connection connection, Collection<TaskName> names, String restriction)
            throws SQLException {
        String sql = """
                select t.app, t.name, t.id from unnest(?::text[], ?::text[]) as n(app, name)
                join twinbell.task t using (app, name)""" + restriction;
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            new ColumnArrays<>(statement, 1, List.copyOf(names))
                    .texts(TaskName::app)
                    .texts(TaskName::name);
            Map<TaskName, Long> ids = new HashMap<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    ids.put(new TaskName(rows.getString(1), rows.getString(2)), rows.getLong(3));
                }
            }
            return ids;
        }
    }

    @Override
    public List<Task> list(TaskFilter filter, long afterId, int limit) {
        return transactions.run(
                "list tasks",
                connection -> TaskFilterQuery.page(connection, filter, afterId, null, limit, JdbcTaskStore::read));
    }

    @Override
    public Found search(TaskFilter filter, long afterId, int limit, Duration longest, int most) {
        return transactions.run(
                "list tasks",
                connection ->
                        TaskFilterQuery.search(connection, filter, afterId, limit, longest, most, JdbcTaskStore::read));
    }

    /** The condition is that of the index on due tasks, which is read in its order. */
    @Override
    public List<Task> upcoming(String app, long untilMillis, int limit) {
        Conditions conditions = new Conditions()
                .and("s.state = 'ACTIVE'")
                .and("s.next_fire_time is not null")
                .and("s.next_fire_time < twinbell.instant(?)", untilMillis)
                .andIfGiven("t.app = ?", app);
        return transactions.run(
                "list upcoming tasks",
                connection -> read(connection, conditions, " order by s.next_fire_time, s.task_id limit " + limit));
    }

    @Override
    public SortedMap<Long, Long> nextFiresByMinute(String app, long fromMillis, long untilMillis) {
        Conditions conditions = new Conditions()
                .and("s.state = 'ACTIVE'")
                .and("s.next_fire_time is not null")
                .and("s.next_fire_time >= twinbell.instant(?)", fromMillis)
                .and("s.next_fire_time < twinbell.instant(?)", untilMillis)
                .andIfGiven("t.app = ?", app);
        String sql = """
                select twinbell.millis(date_bin('1 minute', s.next_fire_time, 'epoch')), count(*)
                from twinbell.task_state s""" + (app == null ? "" : " join twinbell.task t on t.id = s.task_id")
                + conditions.where() + " group by 1";
        return transactions.run("count next fires", connection -> {
            SortedMap<Long, Long> minutes = new TreeMap<>();
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                conditions.bind(statement);
                try (ResultSet rows = statement.executeQuery()) {
                    while (rows.next()) {
                        minutes.put(rows.getLong(1), rows.getLong(2));
                    }
                }
            }
            return minutes;
        });
    }

    @Override
    public Optional<Task> change(long id, TaskDecision decision) {
        return transactions.run("change a task", connection -> {
            Optional<Task> current = lock(connection, List.of(id), "").stream().findFirst();
            return current.isEmpty() ? current : Optional.of(decide(connection, current.get(), decision));
        });
    }

    @Override
    public Changed changeAll(TaskFilter filter, long afterId, BooleanSupplier goesOn, TaskDecision decision) {
        long changed = 0;
        long lastId = afterId;
        List<Long> ids = matching(filter, lastId);
        while (!ids.isEmpty()) {
            List<Long> page = ids;
            changed += transactions
                    .run("change tasks", connection -> change(connection, page, filter, decision))
                    .size();
            lastId = page.get(page.size() - 1);
            ids = matching(filter, lastId);
            if (!ids.isEmpty() && !goesOn.getAsBoolean()) {
                return new Changed(changed, OptionalLong.of(lastId));
            }
        }
        return new Changed(changed, OptionalLong.empty());
    }

    @Override
    public long count(TaskFilter filter, long afterId) {
        return transactions.run("count tasks", connection -> TaskFilterQuery.count(connection, filter, afterId));
    }

    @Override
    public Map<Long, Long> changeEach(Map<Long, TaskDecision> decisions) {
        Map<Long, Long> successors = new HashMap<>();
        List<Long> ids = decisions.keySet().stream().sorted().toList();
        TaskDecision own = (task, nowMillis) -> decisions.get(task.id()).decide(task, nowMillis);
        for (int from = 0; from < ids.size(); from += BULK) {
            List<Long> page = ids.subList(from, Math.min(ids.size(), from + BULK));
            successors.putAll(transactions
                    .run("change tasks", connection -> change(connection, page, TaskFilter.ALL, own))
                    .successors());
        }
        return successors;
    }

    @Override
    public OptionalLong endPauses(TaskDecision decision) {
        return transactions.run("end pauses", connection -> {
            List<Long> over = ids(connection, PAUSES_OVER, new Conditions());
            if (!over.isEmpty()) {
                decideAll(connection, lock(connection, over, " skip locked"), decision);
            }
            return nextEnd(connection);
        });
    }

    private static OptionalLong nextEnd(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("""
                select twinbell.millis(min(paused_until)) from twinbell.task_state
                where state = 'PAUSED' and paused_until is not null""")) {
            return Rows.only(statement, row -> TaskRow.optional(row, 1));
        }
    }

    /**
     * Finds ids without locks. A locking select drops rows that change before they are locked, so a short page would
     * not mean the end.
     */
    private List<Long> matching(TaskFilter filter, long afterId) {
        TaskFilterQuery.RowReader<Long> reader = (connection, conditions, tail) ->
                ids(connection, "select t.id" + FROM + conditions.where() + tail, conditions);
        return transactions.run(
                "find tasks", connection -> TaskFilterQuery.page(connection, filter, afterId, null, BULK, reader));
    }

    private static List<Long> ids(Connection connection, String sql, Conditions conditions) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            conditions.bind(statement);
            return Rows.all(statement, row -> row.getLong(1));
        }
    }

    private static TaskWrites change(Connection connection, List<Long> ids, TaskFilter filter, TaskDecision decision)
            throws SQLException {
        List<Long> locked = lockedIds(connection, these(ids, connection), "");
        Conditions conditions = TaskFilterQuery.conditions(filter).and(ANY_OF, array(locked, connection));
        return decideAll(connection, read(connection, conditions, " order by t.id"), decision);
    }

    /** Locks and reads these tasks in id order; {@code ifLocked} is empty, to wait, or {@code " skip locked"}. */
    public static List<Task> lock(Connection connection, List<Long> ids, String ifLocked) throws SQLException {
        return lock(connection, these(ids, connection), ifLocked);
    }

    private static List<Task> lock(Connection connection, Conditions which, String ifLocked) throws SQLException {
        List<Long> ids = lockedIds(connection, which, ifLocked);
        return ids.isEmpty() ? List.of() : read(connection, these(ids, connection), " order by t.id");
    }

    /**
     * Locks without reading: a statement that waits for a lock finds other rows as of its beginning, and would drop a
     * task that got another definition meanwhile.
     */
    private static List<Long> lockedIds(Connection connection, Conditions which, String ifLocked) throws SQLException {
        return ids(connection, LOCKABLE + which.where() + " order by t.id for update of t, s" + ifLocked, which);
    }

    private static TaskWrites decideAll(Connection connection, List<Task> tasks, TaskDecision decision)
            throws SQLException {
        TaskWrites writes = decided(connection, tasks, decision);
        writes.perform(connection);
        return writes;
    }

    /** The changes, not yet written. */
    public static TaskWrites decided(Connection connection, List<Task> tasks, TaskDecision decision)
            throws SQLException {
        TaskWrites writes = new TaskWrites();
        long now = nowMillis(connection);
        for (Task task : tasks) {
            writes.add(task, decision.decide(task, now), now);
        }
        return writes;
    }

    private static Task decide(Connection connection, Task current, TaskDecision decision) throws SQLException {
        TaskWrites writes = new TaskWrites();
        long now = nowMillis(connection);
        writes.add(current, decision.decide(current, now), now);
        writes.perform(connection);
        long id = writes.successors().getOrDefault(current.id(), current.id());
        return find(connection, id).orElse(current);
    }

    private static Conditions these(List<Long> ids, Connection connection) throws SQLException {
        return new Conditions().and(ANY_OF, array(ids, connection));
    }

    static Array array(List<Long> ids, Connection connection) throws SQLException {
        return connection.createArrayOf("bigint", ids.toArray());
    }

    private static Optional<Task> find(Connection connection, long id) throws SQLException {
        return read(connection, these(List.of(id), connection), "").stream().findFirst();
    }

    private static List<Task> read(Connection connection, Conditions conditions, String tail) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(SELECT + FROM + conditions.where() + tail)) {
            conditions.bind(statement);
            return Rows.all(statement, TaskRow::read);
        }
    }

    /** A separate statement, after the lock: a statement that waits for a lock may read the clock before the wait. */
    private static long nowMillis(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("select twinbell.now_millis()")) {
            return Rows.only(statement, row -> row.getLong(1));
        }
    }

    /**
     * Another transaction stored the task between the lookup and the insert. The SQL state makes the transaction run
     * again, as after a collision.
     */
    private static SQLException storedMeanwhile() {
        return new SQLException("the task was stored concurrently", "40001");
    }
}
