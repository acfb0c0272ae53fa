package io.twinbell.persistence.task;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestTasks;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

/** Tasks share definitions, and no transaction waits for another because of that. */
class DefinitionsTest {
    private static final String REMINDER =
            "{\"data\": {\"n\": %s}, \"start\": \"2026-01-05T00:00:0%s.000Z\", \"handler\": {\"type\": \"log\"},"
                    + " \"schedule\": {\"at\": \"2030-01-01T00:00:0%s.250Z\", \"past\": \"FIRE\"}}";

    private static final String REMOVE = "select twinbell.remove_definitions(0, 10, '1 hour')";

    private static final TaskProgress FRESH = TaskProgress.fresh(TaskState.ACTIVE, null, OptionalLong.empty());

    private final PGSimpleDataSource database = TestPostgres.freshDatabase();
    private final TestTasks tables = new TestTasks(database);
    private final TaskStore store = new JdbcTaskStore(database);
    private Connection open;

    @BeforeEach
    void begin() throws SQLException {
        open = database.getConnection();
        open.setAutoCommit(false);
    }

    @AfterEach
    void close() throws SQLException {
        open.close();
    }

    private static NewTask task(String name, String owner, String definition) {
        TaskContent content = new TaskContent("app", name, owner, List.of("a", "b"), "log", null, definition);
        return TestTasks.newTask(content, FRESH, 5);
    }

    private static String reminder(int i) {
        return String.format(REMINDER, i, i, i);
    }

    /** With its definition taken apart. */
    private static NewTask reminder(String name, int i) {
        TaskContent content = task(name, "ops", reminder(i)).content();
        String shared = "{\"schedule\":{\"past\":\"FIRE\"},\"handler\":{\"type\":\"log\"}}";
        DefinitionParts parts = new DefinitionParts(
                shared,
                "{\"n\":" + i + "}",
                millis("2026-01-05T00:00:00Z", 1000L * i),
                millis("2030-01-01T00:00:00Z", 1000L * i + 250));
        return new NewTask(content, FRESH, 5, Map.of(), parts);
    }

    private static OptionalLong millis(String instant, long later) {
        return OptionalLong.of(Instant.parse(instant).toEpochMilli() + later);
    }

    private String query(String sql) throws SQLException {
        try (Statement statement = open.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getString(1);
        }
    }

    /** Until another transaction waits for a lock. */
    private void awaitLock() {
        String waiting = "select count(*) from pg_stat_activity"
                + " where datname = current_database() and wait_event_type = 'Lock'";
        while (tables.number(waiting) == 0) {
            Thread.onSpinWait();
        }
    }

    private static String add(String name, String schedule) {
        return "select twinbell.add_task('app', '" + name + "', '" + schedule + "', '{\"type\":\"log\"}')";
    }

    /** Makes all definitions that no task has old enough to be removed. */
    private void age() {
        tables.query(REMOVE);
        tables.execute("update twinbell.definition set unused_since = unused_since - interval '1 hour'");
    }

    private void isolate(String level) throws SQLException {
        try (Statement statement = open.createStatement()) {
            statement.execute("set transaction isolation level " + level);
        }
    }

    private long definitions() {
        return tables.number("select count(*) from twinbell.definition");
    }

    @Test
    void tasks_that_differ_in_name_data_and_instants_share_a_definition() {
        Map<TaskName, NewTask> given = new TreeMap<>();
        for (int i = 0; i < 9; i++) {
            given.put(new TaskName("app", "n" + i), reminder("n" + i, i));
        }
        Map<TaskName, Long> ids = store.insertAll(new TreeSet<>(given.keySet()), given::get);
        assertEquals(1, definitions());
        tables.assertRows(
                "select content from twinbell.definition",
                "{\"handler\": {\"type\": \"log\"}, \"schedule\": {\"past\": \"FIRE\"}}");
        given.forEach((name, task) -> {
            TaskContent stored = store.find(ids.get(name)).orElseThrow().content();
            assertEquals(task.content().tags(), stored.tags());
            tables.assertRows(
                    "select '" + task.content().definition() + "'::jsonb = '" + stored.definition() + "'::jsonb", "t");
        });
        store.insert(task("other-owner", "dev", "{}"));
        assertEquals(2, definitions());
    }

    @Test
    void what_is_no_instant_stays_in_the_definition_as_it_was_written() {
        for (String at : List.of(
                "\"2030-02-30T00:00:00.000Z\"",
                "\"2030-01-01T00:00:00.0001Z\"",
                "\"2030-01-01T00:00:00+01:00\"",
                "\"2300-01-01T00:00:00.000Z\"",
                "5",
                "null",
                "{}")) {
            String definition = "{\"start\": " + at + ", \"schedule\": {\"at\": " + at + "}}";
            long id = tables.insert("n" + definitions(), definition, 1000);
            assertEquals(definition, store.find(id).orElseThrow().content().definition());
        }
        assertEquals(7, tables.number("select count(*) from twinbell.task where start_at is null and fire_at is null"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "2024-02-29T10:00:00.000Z",
                "1972-02-29T00:00:00Z",
                "2000-02-29T23:59:59.999Z",
                "2199-12-31T23:59:59Z"
            })
    void an_instant_belongs_to_the_task_on_a_leap_day_too(String at) {
        long id = tables.number(add("once", "{\"at\": \"" + at + "\"}"));
        tables.assertRows("select fire_at = '" + at + "' from twinbell.task where id = " + id, "t");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"2023-02-29T10:00:00Z", "2100-02-29T00:00:00Z", "1970-02-29T00:00:00Z", "2024-02-30T00:00:00Z"})
    void a_day_that_no_calendar_has_is_no_instant(String at) {
        tables.assertRows("select twinbell.instant_or_null(to_jsonb('" + at + "'::text))", "");
    }

    @Test
    void numbers_that_are_written_differently_are_different_definitions_in_one_call_too() {
        String task = "{\"app\": \"app\", \"name\": \"%s\", \"schedule\": {\"type\": \"t\", \"params\": {\"v\": %s}},"
                + " \"handler\": {\"type\": \"log\"}}";
        tables.query("select * from twinbell.add_tasks('[" + String.format(task, "a", "1") + ","
                + String.format(task, "b", "1.0") + "]')");
        tables.assertRows(
                "select name, definition #>> '{schedule,params,v}' from twinbell.full_task order by name",
                "a|1",
                "b|1.0");
    }

    @Test
    void a_definition_that_tasks_share_cannot_be_changed() {
        tables.query(add("first", "{\"every\":\"PT1H\"}"));
        assertThrows(
                IllegalStateException.class, () -> tables.execute("update twinbell.definition set content = '{}'"));
        assertEquals(0, tables.number("select count(*) from twinbell.definition where content = '{}'"));
    }

    @Test
    void nobody_waits_for_a_transaction_that_adds_an_equal_definition() throws SQLException {
        query(add("first", "{\"every\":\"PT1H\"}"));
        tables.query(add("second", "{\"every\":\"PT1H\"}"));
        open.commit();
        assertEquals(2, definitions());
        tables.query(add("third", "{\"every\":\"PT1H\"}"));
        tables.assertRows("select count(*), count(distinct definition_id) from twinbell.task", "3|2");
    }

    @Test
    void nobody_waits_for_a_transaction_that_uses_the_same_definition() throws SQLException {
        tables.query(add("first", "{\"every\":\"PT1H\"}"));
        query(add("second", "{\"every\":\"PT1H\"}"));
        tables.query(add("third", "{\"every\":\"PT1H\"}"));
        assertEquals(1, definitions());
    }

    @Test
    void a_definition_that_no_task_has_is_removed_after_an_hour() {
        long id = tables.number(add("first", "{\"every\":\"PT1H\"}"));
        tables.query(add("second", "{\"every\":\"PT2H\"}"));
        tables.execute("delete from twinbell.task where id = " + id);
        tables.query(REMOVE);
        assertEquals(2, definitions());
        age();
        tables.assertRows(REMOVE, "2");
        tables.assertRows("select content #>> '{schedule,every}' from twinbell.definition", "PT2H");
        tables.assertRows("select twinbell.remove_definitions(2, 10, '1 hour')", "");
    }

    @Test
    void a_definition_that_a_task_has_again_is_kept_for_as_long_from_its_next_end() {
        long id = tables.number(add("first", "{\"every\":\"PT1H\"}"));
        tables.execute("delete from twinbell.task where id = " + id);
        age();
        long next = tables.number(add("next", "{\"every\":\"PT1H\"}"));
        // No search sees that a task has it.
        tables.execute("delete from twinbell.task where id = " + next);
        tables.query(REMOVE);
        assertEquals(1, definitions());
        age();
        tables.query(add("last", "{\"every\":\"PT1H\"}"));
        tables.query(REMOVE);
        tables.assertRows("select unused_since from twinbell.definition", "");
        tables.execute("delete from twinbell.task");
        age();
        tables.query(REMOVE);
        assertEquals(0, definitions());
    }

    @Test
    void the_search_for_unused_definitions_does_not_read_the_tasks_of_the_others() throws SQLException {
        long id = tables.number(add("shared", "{\"every\":\"PT1H\"}"));
        tables.execute("insert into twinbell.task (app, name, definition_id) select app, 'n' || n, definition_id"
                + " from twinbell.task, generate_series(1, 5000) n where id = " + id);
        tables.execute("select twinbell.define(array(select twinbell.definition_doc('o' || n, '{}', 'log', null, '{}')"
                + " from generate_series(1, 9) n))");
        tables.execute("analyze twinbell.task, twinbell.definition");
        query(REMOVE);
        assertEquals("0", query("select pg_stat_get_xact_numscans('twinbell.task'::regclass)"));
        assertEquals("9", query("select count(*) from twinbell.definition where unused_since is not null"));
    }

    @Test
    void a_definition_is_not_removed_while_a_transaction_may_come_to_refer_to_it() throws SQLException {
        long id = tables.number(add("first", "{\"every\":\"PT1H\"}"));
        tables.execute("delete from twinbell.task where id = " + id);
        age();
        query(add("second", "{\"every\":\"PT1H\"}"));
        tables.assertRows(REMOVE, "0");
        open.commit();
        tables.assertRows(REMOVE, "1");
        tables.assertRows("select name, definition ->> 'overlap' from twinbell.full_task", "second|SKIP");
    }

    @Test
    void whoever_adds_a_task_while_definitions_are_removed_gets_one_that_stays() throws SQLException {
        long id = tables.number(add("first", "{\"every\":\"PT1H\"}"));
        tables.execute("delete from twinbell.task where id = " + id);
        age();
        assertEquals("1", query(REMOVE));
        Thread adds = new Thread(() -> tables.query(add("second", "{\"every\":\"PT1H\"}")));
        adds.start();
        awaitLock();
        open.commit();
        try {
            adds.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        tables.assertRows("select name, definition ->> 'overlap' from twinbell.full_task", "second|SKIP");
    }

    @ParameterizedTest
    @ValueSource(strings = {"repeatable read", "serializable"})
    void a_snapshot_that_shows_a_definition_removed_since_adds_no_task_without_one(String isolation)
            throws SQLException {
        long id = tables.number(add("first", "{\"every\":\"PT1H\"}"));
        tables.execute("delete from twinbell.task where id = " + id);
        age();
        isolate(isolation);
        assertEquals("1", query("select count(*) from twinbell.definition"));
        tables.assertRows(REMOVE, "1");
        assertEquals(0, definitions());
        SQLException refused = assertThrows(SQLException.class, () -> query(add("second", "{\"every\":\"PT1H\"}")));
        assertEquals("40001", refused.getSQLState());
    }

    @ParameterizedTest
    @ValueSource(strings = {"repeatable read", "serializable"})
    void a_snapshot_that_lacks_the_newest_tasks_removes_no_definition(String isolation) throws SQLException {
        long id = tables.number(add("first", "{\"every\":\"PT1H\"}"));
        tables.execute("delete from twinbell.task where id = " + id);
        age();
        isolate(isolation);
        assertEquals("0", query("select count(*) from twinbell.task"));
        tables.query(add("second", "{\"every\":\"PT1H\"}"));
        assertEquals("0", query(REMOVE));
    }

    /** The definitions that the decisions of an operation saw. */
    private List<String> seenBy(String operation, long id) {
        List<String> seen = new ArrayList<>();
        TaskDecision decision = (task, now) -> {
            seen.add(task.content().definition());
            return new TaskChange.Keep();
        };
        switch (operation) {
            case "change" -> store.change(id, decision);
            case "changeAll" ->
                store.changeAll(new TaskFilter("app", "a", null, null, null, null), 0, () -> true, decision);
            case "changeEach" -> store.changeEach(Map.of(id, decision));
            default ->
                store.upsert(
                        "app",
                        "edited",
                        () -> {
                            throw new AssertionError("the task exists");
                        },
                        decision);
        }
        return seen;
    }

    @ParameterizedTest
    @ValueSource(strings = {"change", "changeAll", "changeEach", "upsert"})
    void whoever_waits_for_an_edit_of_a_task_sees_its_new_definition(String operation) throws SQLException {
        long id = store.insert(reminder("edited", 1)).orElseThrow().id();
        String edited = reminder(1).replace("FIRE", "REFUSE");
        try (Statement statement = open.createStatement()) {
            statement.execute("update twinbell.full_task set definition = '" + edited + "' where id = " + id);
        }
        CompletableFuture<List<String>> waiting = CompletableFuture.supplyAsync(() -> seenBy(operation, id));
        awaitLock();
        open.commit();
        assertEquals(List.of(store.find(id).orElseThrow().content().definition()), waiting.join());
        assertTrue(waiting.join().get(0).contains("REFUSE"));
    }

    @Test
    void an_edit_refers_to_another_definition_and_leaves_those_who_share_the_old_one() {
        long edited = store.insert(reminder("edited", 1)).orElseThrow().id();
        long other = store.insert(reminder("other", 2)).orElseThrow().id();
        String content = reminder(1).replace("FIRE", "REFUSE");
        store.change(
                edited,
                (task, now) -> new TaskChange.Rewrite(
                        task("edited", "ops", content).content(), task.progress(), Optional.empty()));
        assertEquals(2, definitions());
        tables.assertRows(
                "select name, definition #>> '{schedule,past}' from twinbell.full_task order by name",
                "edited|REFUSE",
                "other|FIRE");
        assertEquals(2, store.find(other).orElseThrow().content().tags().size());
    }
}
