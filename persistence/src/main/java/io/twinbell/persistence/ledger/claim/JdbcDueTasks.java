package io.twinbell.persistence.ledger.claim;

import io.twinbell.persistence.clock.Ticker;
import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.database.Rows;
import io.twinbell.persistence.database.ScanWindow;
import io.twinbell.persistence.ledger.ClaimColumns;
import io.twinbell.persistence.ledger.ColumnArrays;
import io.twinbell.persistence.task.DefinitionParts;
import io.twinbell.persistence.task.TaskRow;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;

/** Reads due tasks from the index of due tasks, and definitions by id. */
public final class JdbcDueTasks implements DueTasks {
    private static final String ACTIVE = """
            select twinbell.millis(next_fire_time), task_id, priority from twinbell.task_state
            where state = 'ACTIVE' and next_fire_time is not null and
            """;

    /** The condition is a CASE, so that no plan searches the index of due tasks, which has no task ids in front. */
    private static final String WAITING = """
            select twinbell.millis(next_fire_time), task_id, priority from twinbell.task_state
            where task_id = any(?::bigint[]) and case state when 'ACTIVE' then next_fire_time is not null else false end""";

    private static final String OVERDUE = ACTIVE + """
            \snext_fire_time >= twinbell.instant(?)
              and next_fire_time <= least(twinbell.instant(?), statement_timestamp() - ? * interval '1 millisecond')
            order by next_fire_time, task_id limit ?""";

    /** The bounds of fire times. */
    private static final long EARLIEST_MILLIS =
            Instant.parse("0001-01-01T00:00:00Z").toEpochMilli();

    private static final long LATEST_MILLIS =
            Instant.parse("9999-12-31T23:59:59Z").toEpochMilli();

    /** Fire times older than this are one part of a divided search. */
    private static final long RECENT_MILLIS = Duration.ofDays(1).toMillis();

    /** How long a search may keep the claimer from its other work, once it has to be divided. */
    private static final Duration LONGEST_SEARCH = Duration.ofMillis(20);

    /**
     * Reads each of the two tables in one walk along its index. A join that looks up the rows of one table for the
     * other costs twice as much.
     */
    private static final String READ = """
            select s.task_id, s.version, case when s.state = 'ACTIVE' then twinbell.millis(s.next_fire_time) end,
                   s.off_schedule, s.priority, null, null, null, null, null, null
            from twinbell.task_state s where s.task_id = any(?::bigint[])
            union all
            select t.id, null, null, null, null, t.app, t.name, t.definition_id, t.data::text,
                   twinbell.millis(t.start_at), twinbell.millis(t.fire_at)
            from twinbell.task t where t.id = any(?::bigint[])""";

    private static final String DEFINITIONS =
            "select id, content::text, nullif(tags, '{}') from twinbell.definition where id = any(?::bigint[])";

    /** The most characters of definitions that are kept, so that they are not read again. */
    private static final long MOST_TEXT = 16 << 20;

    private final DedicatedConnection connection;
    private final Ticker ticker;
    private final ScanWindow overdueWindow;
    /** By id, the least recently used first. A row never changes, but another server may lack it and use its id again. */
    private final Map<Long, Definition> definitions = new LinkedHashMap<>(64, 0.75f, true);

    private long definitionsLength;
    private Connection definitionsReadOn;

    public JdbcDueTasks(DedicatedConnection connection) {
        this(connection, Ticker.SYSTEM);
    }

    /** @param ticker measures how long searches take */
    public JdbcDueTasks(DedicatedConnection connection, Ticker ticker) {
        this.connection = connection;
        this.ticker = ticker;
        overdueWindow = new ScanWindow(ticker, LONGEST_SEARCH);
    }

    @Override
    public HeapPage page(long afterFireMillis, long afterTaskId, int limit) {
        return connection.run(c -> {
            try (PreparedStatement statement = c.prepareStatement(
                    ACTIVE
                            + " (next_fire_time, task_id) > (twinbell.instant(?), ?) order by next_fire_time, task_id limit ?")) {
                statement.setLong(1, afterFireMillis);
                statement.setLong(2, afterTaskId);
                statement.setInt(3, limit);
                long began = ticker.nanos();
                HeapPage page = readPage(statement, limit);
                if (afterFireMillis <= 0) {
                    overdueWindow.learn(() -> recentFireTimes(c), ticker.nanos() - began);
                }
                return page;
            }
        });
    }

    @Override
    public HeapPage overdue(long byMillis, int limit) {
        return connection.run(c -> overdueWindow.run(
                () -> recentFireTimes(c),
                (from, until) -> {
                    try (PreparedStatement statement = c.prepareStatement(OVERDUE)) {
                        statement.setLong(1, Math.max(from, EARLIEST_MILLIS));
                        statement.setLong(2, Math.min(until, LATEST_MILLIS));
                        statement.setLong(3, byMillis);
                        statement.setInt(4, limit);
                        return readPage(statement, limit);
                    }
                },
                page -> page.size() > 0));
    }

    private static ScanWindow.Range recentFireTimes(Connection c) throws SQLException {
        try (PreparedStatement statement = c.prepareStatement("select twinbell.now_millis()")) {
            return Rows.only(statement, row -> new ScanWindow.Range(row.getLong(1) - RECENT_MILLIS, row.getLong(1)));
        }
    }

    private static HeapPage readPage(PreparedStatement statement, int limit) throws SQLException {
        long[] times = new long[limit];
        long[] ids = new long[limit];
        byte[] priorities = new byte[limit];
        int size = 0;
        try (ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
                times[size] = rows.getLong(1);
                ids[size] = rows.getLong(2);
                priorities[size++] = rows.getByte(3);
            }
        }
        return new HeapPage(Arrays.copyOf(times, size), Arrays.copyOf(ids, size), Arrays.copyOf(priorities, size));
    }

    @Override
    public HeapPage waiting(long[] taskIds) {
        return connection.run(WAITING, statement -> {
            ColumnArrays.bind(statement, 1, taskIds);
            return readPage(statement, taskIds.length);
        });
    }

    @Override
    public List<DueTask> read(long[] taskIds) {
        return connection.run(c -> {
            Map<Long, State> states = new HashMap<>(2 * taskIds.length);
            Map<Long, Content> contents = new LinkedHashMap<>(2 * taskIds.length);
            try (PreparedStatement statement = c.prepareStatement(READ)) {
                ColumnArrays.bind(statement, 1, taskIds);
                ColumnArrays.bind(statement, 2, taskIds);
                String lastApp = null;
                ResultSet rows = statement.executeQuery();
                while (rows.next()) {
                    long id = rows.getLong(1);
                    long version = rows.getLong(2);
                    if (rows.wasNull()) {
                        Content content = content(rows, lastApp);
                        lastApp = content.app();
                        contents.put(id, content);
                    } else {
                        states.put(id, state(rows, version));
                    }
                }
            }
            contents.keySet().retainAll(states.keySet());
            Map<Long, Definition> used = definitions(c, contents.values());
            List<DueTask> tasks = new ArrayList<>(contents.size());
            contents.forEach((id, content) -> {
                // A definition without a task is removed: then the task has gone or has another one meanwhile.
                Definition definition = used.get(content.definitionId());
                if (definition != null) {
                    tasks.add(content.task(id, states.get(id), definition));
                }
            });
            return tasks;
        });
    }

    /** The definitions of these tasks, read if they are not known. */
    private Map<Long, Definition> definitions(Connection c, Collection<Content> tasks) throws SQLException {
        if (c != definitionsReadOn) {
            definitions.clear();
            definitionsLength = 0;
            definitionsReadOn = c;
        }
        Map<Long, Definition> used = new HashMap<>();
        Set<Long> unknown = new HashSet<>();
        for (Content task : tasks) {
            Definition known = definitions.get(task.definitionId());
            if (known == null) {
                unknown.add(task.definitionId());
            } else {
                used.put(task.definitionId(), known);
            }
        }
        if (!unknown.isEmpty()) {
            try (PreparedStatement statement = c.prepareStatement(DEFINITIONS)) {
                ColumnArrays.bind(
                        statement, 1, unknown.stream().mapToLong(id -> id).toArray());
                ResultSet rows = statement.executeQuery();
                while (rows.next()) {
                    Definition read = new Definition(rows.getString(2), ClaimColumns.texts(rows.getArray(3)));
                    used.put(rows.getLong(1), read);
                    keep(rows.getLong(1), read);
                }
            }
        }
        return used;
    }

    private void keep(long id, Definition definition) {
        definitions.put(id, definition);
        definitionsLength += definition.content().length();
        for (Iterator<Definition> oldest = definitions.values().iterator(); definitionsLength > MOST_TEXT; ) {
            definitionsLength -= oldest.next().content().length();
            oldest.remove();
        }
    }

    @Override
    public Map<Long, String> apps(long[] taskIds) {
        return connection.run("select id, app from twinbell.task where id = any(?::bigint[])", statement -> {
            ColumnArrays.bind(statement, 1, taskIds);
            Map<Long, String> apps = new HashMap<>(2 * taskIds.length);
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    apps.put(rows.getLong(1), rows.getString(2));
                }
            }
            return apps;
        });
    }

    @Override
    public String soleApp() {
        // Reads the first and the last entry of the index of names.
        return connection.run(
                """
                select (select app from twinbell.task order by app limit 1),
                       (select app from twinbell.task order by app desc limit 1)""",
                statement -> Rows.only(statement, row -> {
                    String first = row.getString(1);
                    return first != null && first.equals(row.getString(2)) ? first : null;
                }));
    }

    private record State(long version, long nextFireMillis, boolean offSchedule, byte priority) {}

    private static State state(ResultSet row, long version) throws SQLException {
        long next = row.getLong(3);
        boolean isWaiting = row.wasNull();
        return new State(version, isWaiting ? Long.MAX_VALUE : next, row.getBoolean(4), row.getByte(5));
    }

    private record Definition(String content, List<String> tags) {}

    private record Content(
            String app, String name, long definitionId, String data, OptionalLong startMillis, OptionalLong atMillis) {
        DueTask task(long id, State state, Definition definition) {
            return new DueTask(
                    id,
                    state.version(),
                    app,
                    name,
                    new DefinitionParts(definition.content(), data, startMillis, atMillis),
                    state.nextFireMillis(),
                    state.offSchedule(),
                    state.priority(),
                    definition.tags());
        }
    }

    /** Neighbouring tasks of one app share its name, since definitions are kept by the thousand. */
    private static Content content(ResultSet row, String lastApp) throws SQLException {
        String app = row.getString(6);
        return new Content(
                app.equals(lastApp) ? lastApp : app,
                row.getString(7),
                row.getLong(8),
                row.getString(9),
                TaskRow.optional(row, 10),
                TaskRow.optional(row, 11));
    }
}
