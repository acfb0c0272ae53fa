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
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.postgresql.util.PSQLException;

/** Many tasks by one call in SQL, as an application sees it. */
class AddTasksTest {
    private final PGSimpleDataSource database = TestPostgres.freshDatabase();
    private final TestTasks tables = new TestTasks(database);
    private Connection application;

    @BeforeEach
    void connect() throws SQLException {
        application = database.getConnection();
        application.setAutoCommit(false);
    }

    @AfterEach
    void close() throws SQLException {
        application.close();
    }

    private List<Long> add(String... tasks) throws SQLException {
        try (PreparedStatement statement = application.prepareStatement("select twinbell.add_tasks(?::jsonb)")) {
            statement.setString(1, "[" + String.join(",", tasks) + "]");
            List<Long> ids = new ArrayList<>();
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    ids.add(row.getLong(1));
                }
            }
            return ids;
        }
    }

    /** @param more members, each with a comma before it */
    private static String task(String name, String more) {
        return "{\"app\":\"shop\",\"name\":\"" + name
                + "\",\"schedule\":{\"in\":\"PT48H\"},\"handler\":{\"type\":\"log\"}" + more + "}";
    }

    private List<String> stored() {
        return tables.query(
                "select t.name, t.owner, t.tags, t.definition - 'start', s.state, s.priority, a.task_id is not null"
                        + " from twinbell.full_task t join twinbell.task_state s on s.task_id = t.id"
                        + " left join twinbell.arrival a on a.task_id = t.id order by t.name");
    }

    @Test
    void a_stored_list_equals_one_call_for_each_entry() throws SQLException {
        String plain = ",\"data\":{\"n\":1},\"overlap\":\"ALLOW\",\"priority\":7,"
                + "\"retry\":{\"maxAttempts\":3,\"onlyOn\":[\"HTTP_5*\"],\"notOn\":null}";
        String more = ",\"owner\":\"ops\",\"tags\":[\"b\",\"a\",\"b\"],\"enabled\":false,\"end\":null";
        add(task("plain", plain), task("more", more));
        application.commit();
        List<String> together = stored();
        tables.execute("delete from twinbell.task");
        for (String options : List.of(plain, more)) {
            tables.query("select twinbell.add_task('shop', '" + (options.equals(plain) ? "plain" : "more")
                    + "', '{\"in\":\"PT48H\"}', '{\"type\":\"log\"}', '{" + options.substring(1) + "}')");
        }
        assertEquals(stored(), together);
        assertEquals(2, together.size());
    }

    @Test
    void the_ids_come_in_the_order_of_the_list() throws SQLException {
        List<Long> ids = add(task("c", ""), task("a", ",\"owner\":\"ops\""), task("b", ""));
        application.commit();
        assertEquals(
                List.of("c", "a", "b"),
                ids.stream()
                        .map(id -> tables.row("select name from twinbell.task where id = " + id))
                        .toList());
    }

    @Test
    void an_empty_list_adds_nothing() throws SQLException {
        assertEquals(List.of(), add());
    }

    @Test
    void one_that_is_refused_takes_the_others_with_it_and_its_place_is_told() {
        PSQLException refusal =
                assertThrows(PSQLException.class, () -> add(task("a", ""), task("b", ",\"ovrlap\":\"SKIP\"")));
        assertEquals("22023", refusal.getSQLState());
        assertTrue(refusal.getMessage().contains("/1: unknown option \"ovrlap\""), refusal.getMessage());
        assertEquals(0, tables.number("select count(*) from twinbell.task"));
    }

    @Test
    void a_name_is_taken_once_also_within_the_list() throws SQLException {
        PSQLException refusal = assertThrows(PSQLException.class, () -> add(task("a", ""), task("a", "")));
        assertEquals("23505", refusal.getSQLState());
        assertTrue(
                refusal.getMessage().contains("/1: app \"shop\" already has a task named \"a\""), refusal.getMessage());
        application.rollback();
        List<Long> ids = add(task("a", ""), task("a", ",\"ifExists\":\"KEEP\""), task("b", ""));
        application.commit();
        assertEquals(ids.get(0), ids.get(1));
        assertEquals(2, tables.number("select count(*) from twinbell.task"));
        assertEquals(
                ids,
                add(
                        task("a", ",\"ifExists\":\"REPLACE\",\"owner\":\"x\""),
                        task("a", ",\"ifExists\":\"KEEP\""),
                        task("b", ",\"ifExists\":\"KEEP\"")));
        application.commit();
        assertEquals(1, tables.number("select count(*) from twinbell.arrival where replacement is not null"));
    }

    /** The text of the setting in which the functions tell what they did; null if none has been called. */
    private String told() throws SQLException {
        try (ResultSet row = application
                .createStatement()
                .executeQuery("select nullif(current_setting('twinbell.stored', true), '')")) {
            row.next();
            return row.getString(1);
        }
    }

    @Test
    void each_call_tells_what_became_of_its_tasks_until_the_transaction_ends() throws SQLException {
        assertNull(told());
        add(task("a", ""), task("b", ",\"owner\":\"ops\""));
        assertEquals("CREATED,CREATED", told());
        add(
                task("c", ""),
                task("a", ",\"ifExists\":\"KEEP\""),
                task("b", ",\"ifExists\":\"REPLACE\""),
                task("d", ",\"ifExists\":\"REPLACE\""),
                task("d", ",\"ifExists\":\"KEEP\""));
        assertEquals("CREATED,KEPT,REPLACED,CREATED,KEPT", told());
        add();
        assertNull(told(), "there was no task");
        application.commit();
        assertNull(told());
        for (String expected : List.of("REPLACE REPLACED", "KEEP KEPT")) {
            try (ResultSet row = application
                    .createStatement()
                    .executeQuery("select id, current_setting('twinbell.stored') from twinbell.add_task('shop', 'a',"
                            + " '{\"in\":\"PT48H\"}', '{\"type\":\"log\"}', '{\"ifExists\":\"" + expected.split(" ")[0]
                            + "\"}') as id")) {
                row.next();
                assertEquals(expected.split(" ")[1], row.getString(2));
            }
        }
        application.commit();
        tables.execute("update twinbell.task_state set state = 'FINISHED', next_fire_time = null");
        tables.execute("delete from twinbell.arrival");
        add(task("a", ",\"ifExists\":\"KEEP\""));
        assertEquals("CREATED", told(), "the task of this name has fired for the last time");
    }

    @Test
    void two_lists_with_the_same_names_in_two_orders_do_not_stop_each_other() throws Exception {
        String keep = ",\"ifExists\":\"KEEP\"";
        add(task("a", ""), task("b", ""));
        CompletableFuture<Long> other = CompletableFuture.supplyAsync(() -> tables.number(
                "select sum(id) from twinbell.add_tasks('[" + task("b", keep) + "," + task("a", keep) + "]') as id"));
        application.commit();
        assertEquals(tables.number("select sum(id) from twinbell.task"), other.get());
    }

    @Test
    void a_removed_task_takes_its_state_and_its_arrival_with_it() throws SQLException {
        add(task("a", ""), task("b", ""));
        application.commit();
        tables.execute("delete from twinbell.task where name = 'a'");
        assertEquals(1, tables.number("select count(*) from twinbell.task_state"));
        assertEquals(1, tables.number("select count(*) from twinbell.arrival"));
    }

    @Test
    void there_is_a_bound_on_the_list() throws SQLException {
        String[] many =
                IntStream.range(0, 10_000).mapToObj(i -> task("n" + i, "")).toArray(String[]::new);
        assertEquals(10_000, add(many).stream().collect(Collectors.toSet()).size());
        String tooMany = String.join(",", many) + "," + task("one-more", "");
        PSQLException refusal = assertThrows(PSQLException.class, () -> add(tooMany));
        assertTrue(refusal.getMessage().contains("the limit for one call is 10000"), refusal.getMessage());
    }

    @ParameterizedTest
    @CsvSource(delimiter = ';', quoteCharacter = '\u0001', textBlock = """
            5; a task must be a JSON object
            {}; app is required
            {"app":5,"name":"n"}; app and name must be strings
            {"app":"a","name":"n"}; schedule must be a JSON object
            {"app":"a","name":"n","schedule":{"in":"PT1H"}}; handler must be a JSON object
            """)
    void an_incomplete_task_is_refused_with_what_it_lacks(String task, String problem) {
        PSQLException refusal = assertThrows(PSQLException.class, () -> add(task));
        assertEquals("22023", refusal.getSQLState());
        assertTrue(refusal.getMessage().contains("/0: " + problem), refusal.getMessage());
    }

    @Test
    void only_a_list_is_taken() {
        assertThrows(
                PSQLException.class, () -> application.createStatement().execute("select twinbell.add_tasks('{}')"));
    }
}
