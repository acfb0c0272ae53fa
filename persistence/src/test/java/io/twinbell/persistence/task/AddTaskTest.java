package io.twinbell.persistence.task;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestTasks;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.postgresql.ds.PGSimpleDataSource;
import org.postgresql.util.PSQLException;

/** The SQL functions as an application sees them: a plain connection and a transaction of its own. */
class AddTaskTest {
    private static final String IN_TWO_DAYS = "{\"in\":\"PT48H\"}";
    private static final String LOG = "{\"type\":\"log\"}";

    private final PGSimpleDataSource database = TestPostgres.freshDatabase();
    private final TestTasks tables = new TestTasks(database);
    private Connection application;
    private Connection master;

    @BeforeEach
    void connect() throws SQLException {
        application = database.getConnection();
        application.setAutoCommit(false);
        master = database.getConnection();
        master.createStatement().execute("listen twinbell_ledger; listen twinbell_task");
    }

    @AfterEach
    void close() throws SQLException {
        application.close();
        master.close();
    }

    private long add(String name, String options) throws SQLException {
        return add("shop", name, IN_TWO_DAYS, LOG, options);
    }

    private long add(String app, String name, String schedule, String handler, String options) throws SQLException {
        try (PreparedStatement statement =
                application.prepareStatement("select twinbell.add_task(?, ?, ?::jsonb, ?::jsonb, ?::jsonb)")) {
            String[] values = {app, name, schedule, handler, options};
            for (int i = 0; i < values.length; i++) {
                statement.setString(i + 1, values[i]);
            }
            try (ResultSet row = statement.executeQuery()) {
                row.next();
                return row.getLong(1);
            }
        }
    }

    private boolean remove(long id) throws SQLException {
        try (ResultSet row = application.createStatement().executeQuery("select twinbell.remove_task(" + id + ")")) {
            row.next();
            return row.getBoolean(1);
        }
    }

    private PSQLException refused(String app, String name, String schedule, String handler, String options) {
        PSQLException refusal = assertThrows(PSQLException.class, () -> add(app, name, schedule, handler, options));
        assertEquals("22023", refusal.getSQLState(), refusal.getMessage());
        return refusal;
    }

    private List<String> heard() throws SQLException {
        master.createStatement().execute("select 1");
        PGNotification[] heard = master.unwrap(PGConnection.class).getNotifications();
        return heard == null
                ? List.of()
                : java.util.Arrays.stream(heard).map(PGNotification::getName).toList();
    }

    @Test
    void a_task_is_there_and_the_master_is_woken_when_the_transaction_commits_and_not_before() throws SQLException {
        long id = add("order-1", "{\"owner\":\"ops\",\"tags\":[\"a\",\"b\"],\"data\":{\"n\":1}}");
        assertEquals(List.of(), tables.query("select id from twinbell.task"));
        assertEquals(List.of(), heard());
        application.commit();
        assertEquals(List.of("twinbell_ledger"), heard());
        tables.assertRows(
                "select id, app, name, owner, tags, handler_type, state, next_fire_time"
                        + " from twinbell.full_task join twinbell.task_state on task_id = id",
                id + "|shop|order-1|ops|{a,b}|log|ACTIVE|");
    }

    @Test
    void a_rollback_leaves_nothing_and_wakes_nothing() throws SQLException {
        add("order-1", "{}");
        application.rollback();
        assertEquals(List.of(), heard());
        tables.assertRows(
                "select (select count(*) from twinbell.task), (select count(*) from twinbell.task_state),"
                        + " (select count(*) from twinbell.arrival)",
                "0|0|0");
    }

    @Test
    void a_savepoint_takes_back_only_what_came_after_it() throws SQLException {
        add("kept", "{}");
        Savepoint savepoint = application.setSavepoint();
        add("taken-back", "{}");
        assertThrows(PSQLException.class, () -> add("refused", "{\"ovrlap\":\"SKIP\"}"));
        application.rollback(savepoint);
        add("kept-too", "{}");
        application.commit();
        tables.assertRows("select name from twinbell.task order by id", "kept", "kept-too");
    }

    @Test
    void its_start_is_the_time_of_the_transaction_unless_it_names_one() throws SQLException {
        add("a", "{}");
        add("b", "{}");
        add("named", "{\"start\":\"2030-01-01T00:00:00.000Z\"}");
        application.commit();
        tables.assertRows(
                "select count(distinct definition ->> 'start') from twinbell.full_task where name <> 'named'", "1");
        tables.assertRows(
                "select (definition ->> 'start')::timestamptz = at from twinbell.full_task"
                        + " join twinbell.arrival on task_id = id where name = 'a'",
                "t");
        tables.assertRows(
                "select definition ->> 'start' from twinbell.full_task where name = 'named'",
                "2030-01-01T00:00:00.000Z");
    }

    @Test
    void a_name_that_its_app_has_already_is_a_unique_violation_that_says_so() throws SQLException {
        add("order-1", "{}");
        application.commit();
        PSQLException refusal = assertThrows(PSQLException.class, () -> add("order-1", "{}"));
        assertEquals("23505", refusal.getSQLState());
        assertTrue(
                refusal.getMessage().contains("app \"shop\" already has a task named \"order-1\""),
                refusal.getMessage());
    }

    @Test
    void two_transactions_with_one_name_do_not_both_get_it() throws Exception {
        long first = add("order-1", "{}");
        CompletableFuture<Long> second =
                CompletableFuture.supplyAsync(() -> tables.number("select twinbell.add_task('shop', 'order-1', '"
                        + IN_TWO_DAYS + "', '" + LOG + "', '{\"ifExists\":\"KEEP\"}')"));
        application.commit();
        assertEquals(first, second.get());
        assertEquals(1, tables.number("select count(*) from twinbell.task"));
    }

    @Test
    void a_replacement_waits_for_the_master_and_the_last_one_counts() throws SQLException {
        long id = add("order-1", "{}");
        application.commit();
        tables.execute("delete from twinbell.arrival");
        assertEquals(id, add("order-1", "{\"ifExists\":\"REPLACE\",\"owner\":\"first\"}"));
        assertEquals(id, add("order-1", "{\"ifExists\":\"REPLACE\",\"owner\":\"second\",\"enabled\":false}"));
        application.commit();
        tables.assertRows(
                "select t.owner, replacement ->> 'owner', replacement ->> 'enabled', replacement ->> 'app'"
                        + " from twinbell.arrival join twinbell.full_task t on t.id = task_id",
                "|second|false|shop");
    }

    @Test
    void a_task_that_is_not_enabled_arrives_paused() throws SQLException {
        add("order-1", "{\"enabled\":false}");
        application.commit();
        tables.assertRows("select state, state_reason from twinbell.task_state", "PAUSED|disabled");
    }

    @Test
    void a_task_is_removed_with_the_transaction_and_once() throws SQLException {
        long id = add("order-1", "{}");
        application.commit();
        assertTrue(remove(id));
        application.rollback();
        assertEquals(1, tables.number("select count(*) from twinbell.task"));
        assertTrue(remove(id));
        assertEquals(id + 1, add("order-1", "{}"), "the name is free at once");
        assertTrue(!remove(id));
        application.commit();
        assertEquals(1, tables.number("select count(*) from twinbell.task"));
    }

    @Test
    void a_removed_task_leaves_behind_what_was_due_and_nothing_else() throws SQLException {
        long due = tables.insert("due", "{}", 1000);
        long later = tables.insert("later", "{}", 4_102_444_800_000L);
        assertTrue(remove(due));
        assertTrue(remove(later));
        application.commit();
        tables.assertRows("select name from twinbell.removal", "due");
    }

    @Test
    void a_thousand_go_in_one_transaction() throws SQLException {
        application
                .createStatement()
                .execute("select twinbell.add_task('shop', 'order-' || n, '" + IN_TWO_DAYS + "', '" + LOG
                        + "', '{}') from generate_series(1, 1000) as n");
        application.commit();
        assertEquals(1000, tables.number("select count(*) from twinbell.arrival"));
        assertEquals(List.of("twinbell_ledger"), heard(), "one wake-up is enough");
    }

    @Test
    void an_application_needs_the_schema_and_the_two_functions_and_nothing_else() throws SQLException {
        String role = "shop_" + database.getDatabaseName();
        tables.execute("create role " + role + "; grant usage on schema twinbell to " + role);
        application.createStatement().execute("set role " + role);
        application.commit();
        PSQLException refusal = assertThrows(PSQLException.class, () -> add("order-1", "{}"));
        assertEquals("42501", refusal.getSQLState());
        application.rollback();
        tables.execute("grant execute on function twinbell.add_task, twinbell.remove_task(bigint) to " + role);
        assertTrue(remove(add("order-1", "{}")));
        assertThrows(PSQLException.class, () -> application.createStatement().execute("select * from twinbell.task"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', quoteCharacter = '\u0001', nullValues = "NULL", textBlock = """
            NULL; n; {"in":"PT1H"}; {"type":"log"}; {}; app is required
            a; NULL; {"in":"PT1H"}; {"type":"log"}; {}; name is required
            a; n; NULL; {"type":"log"}; {}; schedule must be a JSON object
            a; n; []; {"type":"log"}; {}; schedule must be a JSON object
            a; n; {"at":"2026-02-30T00:00:00Z"}; {"type":"log"}; {}; schedule.at is not an instant
            a; n; {"at":5}; {"type":"log"}; {}; schedule.at is not an instant
            a; n; {"at":"2300-01-01T00:00:00Z"}; {"type":"log"}; {}; must lie between 1970 and 2199
            a; n; {"in":"PT1H"}; NULL; {}; handler must be a JSON object
            a; n; {"in":"PT1H"}; "log"; {}; handler must be a JSON object
            a; n; {"in":"PT1H"}; {}; {}; handler.type must be http, sql
            a; n; {"in":"PT1H"}; {"type":"htpp"}; {}; handler.type must be http, sql
            a; n; {"in":"PT1H"}; {"type":"java"}; {}; handler.key must be a string
            a; n; {"in":"PT1H"}; {"type":"java","key":""}; {}; handler.key must have 1 to 200
            a; n; {"in":"PT1H"}; {"type":"log"}; []; options must be a JSON object
            a; n; {"in":"PT1H"}; {"type":"log"}; {"ovrlap":"SKIP"}; unknown option "ovrlap"
            a; n; {"in":"PT1H"}; {"type":"log"}; {"app":"b"}; unknown option "app"
            a; n; {"in":"PT1H"}; {"type":"log"}; {"owner":5}; option owner must be a string
            a; n; {"in":"PT1H"}; {"type":"log"}; {"owner":""}; option owner must have 1 to 200
            a; n; {"in":"PT1H"}; {"type":"log"}; {"tags":"x"}; option tags must be a list of strings
            a; n; {"in":"PT1H"}; {"type":"log"}; {"tags":[1]}; option tags must be a list of strings
            a; n; {"in":"PT1H"}; {"type":"log"}; {"tags":["a",""]}; each tag must have 1 to 200
            a; n; {"in":"PT1H"}; {"type":"log"}; {"enabled":"no"}; option enabled must be true or false
            a; n; {"in":"PT1H"}; {"type":"log"}; {"ifExists":"x"}; must be REFUSE, KEEP or REPLACE
            """)
    void a_malformed_task_is_refused_by_name_in_its_transaction(
            String app, String name, String schedule, String handler, String options, String expected) {
        String message = refused(app, name, schedule, handler, options).getMessage();
        assertTrue(message.contains(expected), message);
    }

    @Test
    void a_too_large_text_or_one_with_control_characters_is_refused() throws SQLException {
        String large = "{\"data\":\"" + "x".repeat(65536) + "\"}";
        assertTrue(refused("a", "n", IN_TWO_DAYS, LOG, large).getMessage().contains("more than 65536 bytes"));
        application.rollback();
        String whole = "{\"then\":[\"" + "x".repeat(262144) + "\"]}";
        assertTrue(refused("a", "n", IN_TWO_DAYS, LOG, whole).getMessage().contains("more than 262144 bytes"));
        application.rollback();
        assertTrue(refused("a", "x".repeat(201), IN_TWO_DAYS, LOG, "{}")
                .getMessage()
                .contains("1 to 200 characters"));
        application.rollback();
        assertTrue(
                refused("a", "two\nlines", IN_TWO_DAYS, LOG, "{}").getMessage().contains("control characters"));
        application.rollback();
        String headers = "{\"type\":\"http\",\"url\":\"http://h/\",\"body\":\"" + "x".repeat(60000)
                + "\",\"headers\":{\"h\":\"" + "y".repeat(6000) + "\"}}";
        assertTrue(refused("a", "n", IN_TWO_DAYS, headers, "{}").getMessage().contains("more than 65536 bytes"));
    }

    private String await(long id, String timeout) throws SQLException {
        try (ResultSet row = application
                .createStatement()
                .executeQuery("select twinbell.await_task(" + id + ", '" + timeout + "')")) {
            row.next();
            return row.getString(1);
        }
    }

    @Test
    void whoever_awaits_a_task_gets_its_state_once_the_master_has_read_it() throws Exception {
        long id = add("order-1", "{}");
        application.commit();
        assertNull(await(id, "10 ms"), "there is no master");
        application.commit();
        CompletableFuture<Void> read = CompletableFuture.runAsync(() -> tables.execute(
                "select pg_sleep(0.1); update twinbell.task_state set state = 'ACTIVE'; delete from twinbell.arrival"));
        assertEquals("ACTIVE", await(id, "1 minute"));
        read.get();
        tables.execute("update twinbell.task_state set state = 'ERROR', state_reason = '/schedule/cron: never fires'");
        PSQLException refusal = assertThrows(PSQLException.class, () -> await(id, "1 s"));
        assertEquals("22023", refusal.getSQLState());
        assertTrue(refusal.getMessage().contains("task " + id + ": /schedule/cron: never fires"), refusal.getMessage());
    }

    @Test
    void a_task_is_not_awaited_where_the_master_cannot_have_read_it() throws SQLException {
        long id = add("order-1", "{}");
        application.commit();
        Savepoint before = application.setSavepoint();
        assertEquals("25001", awaiting(add("order-2", "{}")), "it is not committed");
        application.rollback(before);
        add("order-1", "{\"ifExists\":\"REPLACE\"}");
        application.setSavepoint();
        assertEquals("25001", awaiting(id), "the replacement is not committed");
        application.rollback();
        application.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        assertEquals("25001", awaiting(id), "it would not see the change");
        application.rollback();
        application.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        assertEquals("P0002", awaiting(-1));
        application.rollback();
        for (String timeout : List.of("-1 s", "61 s")) {
            assertEquals(
                    "22023",
                    assertThrows(PSQLException.class, () -> await(id, timeout)).getSQLState(),
                    timeout);
            application.rollback();
        }
    }

    private String awaiting(long id) {
        return assertThrows(PSQLException.class, () -> await(id, "1 s")).getSQLState();
    }
}
