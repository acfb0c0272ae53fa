package io.twinbell;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.twinbell.client.ExecutionSelection;
import io.twinbell.client.ExecutionView;
import io.twinbell.client.HandlerKey;
import io.twinbell.client.HttpTaskClient;
import io.twinbell.client.JdbcTaskClient;
import io.twinbell.client.RetryPolicy;
import io.twinbell.client.TaskClient;
import io.twinbell.client.TaskRefusedException;
import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestTasks;
import io.twinbell.persistence.testing.TestZooKeeper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

/** Executions over both transports, beside a real node. The JDBC client logs in as a role that may use one app. */
class ExecutionClientsTest {
    private static final HandlerKey<String> CALL = HandlerKey.of("bank.call", String.class);
    private static final ExecutionSelection FAILED = ExecutionSelection.failed();
    private static final Duration SOON = Duration.ofMinutes(1);

    @TempDir
    private static Path directory;

    private static PGSimpleDataSource database;
    private static TestTasks tables;
    private static String zooKeeper;
    private static Twinbell node;

    private final String app = "bank-" + System.nanoTime();
    private HttpTaskClient http;
    private Connection transaction;
    private JdbcTaskClient jdbc;

    @BeforeAll
    static void start() throws Exception {
        database = TestPostgres.freshDatabase();
        tables = new TestTasks(database);
        zooKeeper = TestZooKeeper.freshFolder();
        node = TestNodes.builder("a", database, zooKeeper)
                .set("http.adminToken", directory.resolve("admin-token").toString())
                .handler(CALL, (name, context) -> {
                    if (context.attempt() == 1) {
                        throw new IllegalStateException(name + " does not answer");
                    }
                    return name + " answers again";
                })
                .start();
        assertTrue(node.awaitJoined(SOON), () -> node.joinObstacle().toString());
        TestPostgres.execute(
                database,
                "do $$ begin create role bank_app; exception when duplicate_object or unique_violation then null; end $$;"
                        + " grant usage on schema twinbell to bank_app; grant execute on function"
                        + " twinbell.list_executions, twinbell.rerun_execution, twinbell.rerun_executions to bank_app");
    }

    @AfterAll
    static void stop() throws Exception {
        node.close();
    }

    @BeforeEach
    void connect() throws SQLException, IOException {
        http = http(app);
        TestPostgres.execute(database, "select twinbell.allow_caller('bank_app', apps => array['" + app + "'])");
        transaction = database.getConnection();
        try (Statement statement = transaction.createStatement()) {
            statement.execute("set session authorization bank_app");
            // Settings of the application's own, which must not change what the functions mean.
            statement.execute("set standard_conforming_strings = off; set transform_null_equals = on;"
                    + " set array_nulls = off; set timezone = 'Asia/Kolkata'; set extra_float_digits = -12");
        }
        transaction.setAutoCommit(false);
        jdbc = JdbcTaskClient.within(transaction, app);
    }

    private static HttpTaskClient http(String app) throws IOException {
        return HttpTaskClient.builder(app)
                .node(node.url())
                .token(Files.readString(directory.resolve("admin-token")).strip())
                .build();
    }

    @AfterEach
    void close() throws SQLException {
        transaction.close();
    }

    /** As an operator does: a client does not cancel what has fired. */
    private void remove(String name) {
        assertEquals(List.of("t"), tables.query("select twinbell.remove_task('" + app + "', ?)", name));
    }

    private List<ExecutionView> failures(String... names) {
        for (String name : names) {
            http.schedule(CALL, name).named(name);
        }
        await().atMost(SOON).until(() -> list(http, FAILED).size() == names.length);
        return list(http, FAILED);
    }

    private static List<ExecutionView> list(TaskClient client, ExecutionSelection which) {
        return client.executions(which, 1000, null).items();
    }

    private static JsonNode json(ExecutionView view) {
        try {
            return JsonMapper.builder().build().readTree(view.json());
        } catch (IOException e) {
            throw new IllegalArgumentException(view.json(), e);
        }
    }

    private void assertBothList(ExecutionSelection which, int number) {
        List<ExecutionView> listed = list(jdbc, which);
        assertEquals(number, listed.size());
        assertEquals(
                list(http, which).stream().map(ExecutionClientsTest::json).toList(),
                listed.stream().map(ExecutionClientsTest::json).toList());
    }

    @Test
    void both_transports_list_the_same_executions() throws Exception {
        failures("call-1", "call-2", "call-3");
        ExecutionView first = list(http, FAILED.ofTask("call-1")).get(0);
        http.schedule(CALL, "call-4")
                .with(task -> task.retry(RetryPolicy.attempts(3).backoff(Duration.ofHours(1))))
                .named("call-4");
        http.rerun(list(http, FAILED.ofTask("call-2")).get(0).id(), "again");
        http.trigger("call-3", "by hand");
        await().atMost(SOON)
                .until(() -> list(http, ExecutionSelection.all().inStates("RETRYING", "SUCCEEDED"))
                                        .size()
                                == 2
                        && list(http, FAILED.ofTask("call-3")).size() == 2);
        remove("call-3");
        tables.execute(
                "update twinbell.execution set progress = 0.123456789, progress_message = 'half', log = 'a line', note = 'n',"
                        + " snoozes = 2, until_fire_time = fire_time + interval '1 second', slots = 2, output = 'o'"
                        + " where name = 'call-1' and app = '" + app + "'");

        assertBothList(ExecutionSelection.all(), 5);
        assertBothList(ExecutionSelection.all().inStates("RETRYING"), 1);
        assertBothList(FAILED.ofTask("call-1").withErrorCode("HANDLER_EXCEPTION"), 1);
        assertBothList(FAILED.withErrorCode("HTTP_503"), 0);
        assertBothList(ExecutionSelection.all().ofTask("call-1").from(first.fireTime()), 1);
        assertBothList(
                ExecutionSelection.all().ofTask("call-1").until(first.fireTime().plusNanos(1)), 1);
        assertBothList(
                ExecutionSelection.all().ofTask("call-1").from(first.fireTime().plusNanos(1)), 0);
        assertBothList(ExecutionSelection.all().until(first.fireTime().minusSeconds(3600)), 0);
        List<ExecutionView> pages = new ArrayList<>();
        ExecutionView.Listed page = jdbc.executions(ExecutionSelection.all(), 2, null);
        for (; page.next() != null; page = jdbc.executions(ExecutionSelection.all(), 2, page.next())) {
            pages.addAll(page.items());
        }
        pages.addAll(page.items());
        assertEquals(list(jdbc, ExecutionSelection.all()), pages);
        assertNull(jdbc.executions(ExecutionSelection.all(), 5, null).next());
    }

    @Test
    void an_execution_that_waits_has_the_reason_in_the_list() throws Exception {
        failures("call-1");
        try (Connection owner = database.getConnection()) {
            owner.setAutoCommit(false);
            JdbcTaskClient ofOwner = JdbcTaskClient.within(owner, app);
            Function<String, String> reasonAt = marker -> {
                try (Statement statement = owner.createStatement()) {
                    statement.execute(
                            "update twinbell.execution set held_by = " + marker + " where app = '" + app + "'");
                } catch (SQLException e) {
                    throw new IllegalStateException(e);
                }
                return list(ofOwner, FAILED).get(0).reason();
            };
            assertEquals("waits for room under the limit \"room\"", reasonAt.apply("'room'"));
            assertEquals(
                    "waits for a master that has a java handler under the key \"x.y\"",
                    reasonAt.apply("E'\\x01handler:x.y'"));
            assertEquals(
                    "waits because the app has used its quotas.firesPerMinute", reasonAt.apply("E'\\x01quota:bank'"));
            owner.rollback();
        }
    }

    @Test
    void executions_run_again_after_the_commit_only_and_the_audit_names_the_caller() throws Exception {
        List<ExecutionView> failed = failures("call-1", "call-2", "call-3");
        ExecutionView first = failed.get(0);
        assertEquals("PENDING", jdbc.rerun(first.id(), "the bank is back").state());
        assertEquals(2, jdbc.rerunAll(FAILED, "the bank is back"));
        assertEquals(List.of(), list(jdbc, FAILED));
        transaction.rollback();
        assertEquals(failed, list(http, FAILED));
        assertEquals(List.of(), reruns());

        ExecutionView again = jdbc.rerun(first.id(), "the bank is back");
        assertEquals("run again by hand: the bank is back", again.reason());
        assertEquals(2, again.attempt());
        JsonNode attempt = json(again).path("attempts").path(0);
        assertEquals("FAILED", attempt.path("state").asText());
        assertEquals(json(first).path("endedAt"), attempt.path("endedAt"));
        transaction.commit();
        await().atMost(SOON).until(() -> list(http, FAILED).size() == 2);
        assertEquals(2, jdbc.rerunAll(FAILED, "all"));
        transaction.commit();
        await().atMost(SOON)
                .until(() -> list(http, ExecutionSelection.all().inStates("SUCCEEDED"))
                                .size()
                        == 3);
        assertEquals(0, jdbc.rerunAll(FAILED, "none is left"));
        assertBothList(ExecutionSelection.all(), 3);
        String author = "role bank_app|SQL|bank_app|run again by hand: ";
        assertEquals(List.of(author + "all", author + "all", author + "the bank is back"), reruns());
    }

    private List<String> reruns() {
        return tables.query(
                "select actor, channel, db_role, after ->> 'reason' from twinbell.audit_entry"
                        + " where act = 'RERUN' and app = ? order by 4",
                app);
    }

    @Test
    void both_transports_refuse_the_same_requests() throws Exception {
        failures("call-1", "call-2", "call-3");
        ExecutionView first = list(http, FAILED.ofTask("call-1")).get(0);
        String removed = list(http, FAILED.ofTask("call-2")).get(0).id();
        remove("call-2");
        String many = list(http, FAILED.ofTask("call-3")).get(0).id();
        tables.execute("update twinbell.execution set slots = 2, until_fire_time = fire_time + interval '1 second'"
                + " where app = '" + app + "' and name = 'call-3'");
        http.schedule(CALL, "call-4")
                .with(task -> task.retry(RetryPolicy.attempts(3).backoff(Duration.ofHours(1))))
                .named("call-4");
        ExecutionSelection retrying = ExecutionSelection.all().inStates("RETRYING");
        await().atMost(SOON).until(() -> list(http, retrying).size() == 1);
        String unfinished = list(http, retrying).get(0).id();

        assertBothRefuse(404, "there is no execution 1-1", client -> client.rerun("1-1", "x"));
        assertMalformedIdsAreRefused();
        assertBothRefuse(409, "its task was removed", client -> client.rerun(removed, "x"));
        assertBothRefuse(409, "it represents 2 slots", client -> client.rerun(many, "x"));
        assertBothRefuse(409, "it has not ended: RETRYING", client -> client.rerun(unfinished, "x"));
        assertBothRefuse(400, "control characters", client -> client.rerun(first.id(), "two\nlines"));
        assertBothRefuse(400, "control characters", client -> client.rerun(first.id(), "a\u202eb"));
        assertBothRefuse(400, "control characters", client -> client.rerunAll(FAILED, "a\u3164b"));
        assertBothRefuse(400, "500", client -> client.rerunAll(FAILED, "x".repeat(501)));
        assertBothRefuse(400, "final states", client -> client.rerunAll(ExecutionSelection.all(), "x"));
        assertBothRefuse(400, "final states", client -> client.rerunAll(retrying, "x"));
        assertBothRefuse(
                400,
                "RETRYING, SUCCEEDED",
                client -> list(client, FAILED.inStates("DEAD")).size());
        assertBothRefuse(400, "1000", client -> client.executions(FAILED, 0, null));
        assertBothRefuse(400, "1000", client -> client.executions(FAILED, 1001, null));
        assertBothRefuse(400, "after", client -> client.executions(FAILED, 10, "first"));
        for (TaskClient client : List.of(http, jdbc)) {
            assertThrows(IllegalArgumentException.class, () -> client.rerun(first.id(), null));
            assertThrows(IllegalArgumentException.class, () -> client.rerun(null, "x"));
            assertThrows(IllegalArgumentException.class, () -> client.rerunAll(FAILED, null));
        }
        assertEquals(1, jdbc.rerunAll(FAILED, "only the one that can run again"));
    }

    private void assertMalformedIdsAreRefused() throws SQLException {
        for (String id : List.of(
                "first",
                "1",
                "1-",
                "-1",
                "1-x",
                "1-1-1",
                "1 - 1",
                "1-99999999999999",
                "99999999999999999999-1",
                "1-99999999999999999999",
                "1-1' or true",
                "\u0661-\u0661")) {
            assertBothRefuse(404, "there is no execution " + id, client -> client.rerun(id, "x"));
        }
        for (TaskClient client : List.of(http, jdbc)) {
            TaskRefusedException refusal =
                    assertThrows(TaskRefusedException.class, () -> client.rerun("1-\u0000", "x"));
            assertEquals(400, refusal.status(), refusal::getMessage);
            transaction.rollback();
        }
    }

    private void assertBothRefuse(int status, String part, Function<TaskClient, Object> call) throws SQLException {
        for (TaskClient client : List.of(http, jdbc)) {
            TaskRefusedException refusal = assertThrows(TaskRefusedException.class, () -> call.apply(client));
            assertEquals(status, refusal.status(), refusal::getMessage);
            assertTrue(refusal.getMessage().contains(part), refusal::getMessage);
            transaction.rollback();
        }
    }

    @Test
    void a_caller_stays_in_its_apps_and_handler_types() throws Exception {
        String id = failures("call-1").get(0).id();
        TestPostgres.execute(database, "select twinbell.allow_caller('bank_app', apps => '{other}')");
        assertForbidden("app \"" + app + "\"", client -> list(client, FAILED));
        assertForbidden("app \"" + app + "\"", client -> client.rerun(id, "x"));
        assertForbidden("app \"" + app + "\"", client -> client.rerunAll(FAILED, "x"));
        TestPostgres.execute(
                database,
                "select twinbell.allow_caller('bank_app', apps => array['" + app + "'], handlers => '{http}')");
        assertForbidden("handler type java", client -> client.rerun(id, "x"));
        assertForbidden("handler type java", client -> client.rerunAll(FAILED, "x"));
        assertEquals(id, list(jdbc, FAILED).get(0).id());
        transaction.rollback();
        assertEquals(List.of(), reruns());
        TestPostgres.execute(database, "revoke execute on function twinbell.list_executions from bank_app");
        try {
            assertForbidden("permission denied", client -> list(client, FAILED));
        } finally {
            TestPostgres.execute(database, "grant execute on function twinbell.list_executions to bank_app");
        }
    }

    private void assertForbidden(String part, Function<TaskClient, Object> call) throws SQLException {
        TaskRefusedException refusal = assertThrows(TaskRefusedException.class, () -> call.apply(jdbc));
        assertEquals(403, refusal.status(), refusal::getMessage);
        assertTrue(refusal.getMessage().contains(part), refusal::getMessage);
        transaction.rollback();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "null",
                "'[]'",
                "'{\"states\": [\"FAILED\"]}'",
                "'{\"state\": \"FAILED\"}'",
                "'{\"state\": []}'",
                "'{\"state\": [\"FAILED\", null]}'",
                "'{\"name\": 1}'",
                "'{\"errorCode\": []}'",
                "'{\"from\": \"yesterday\"}'",
            })
    void a_selection_that_makes_no_sense_is_refused(String selection) {
        SQLException refusal = assertThrows(SQLException.class, () -> {
            try (Statement statement = transaction.createStatement()) {
                statement.executeQuery("select twinbell.list_executions('" + app + "', " + selection + ")");
            }
        });
        assertEquals("22023", refusal.getSQLState(), refusal::getMessage);
    }
}
