package io.twinbell;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.twinbell.client.ExecutionSelection;
import io.twinbell.handler.TaskHandler;
import io.twinbell.persistence.testing.FreePort;
import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestTasks;
import io.twinbell.persistence.testing.TestZooKeeper;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.postgresql.ds.PGSimpleDataSource;
import org.slf4j.LoggerFactory;

/** What an application relies on that has a node inside. */
class EmbeddingTest {
    private static final String SOON =
            "{\"schedule\":{\"in\":\"PT0.1S\"},\"handler\":{\"type\":\"java\",\"key\":\"app.run\"}}";
    private static final String LATER = "{\"schedule\":{\"in\":\"PT1H\"},\"handler\":{\"type\":\"log\"}}";

    private final PGSimpleDataSource database = TestPostgres.freshDatabase();
    private final String zooKeeper = TestZooKeeper.freshFolder();
    private final BlockingQueue<String> runs = new LinkedBlockingQueue<>();

    @Test
    void a_write_in_the_callers_transaction_shares_its_fate() throws Exception {
        try (Twinbell node = joined();
                Connection application = database.getConnection()) {
            Tasks own = node.tasks().in(application);
            assertThrows(IllegalStateException.class, () -> own.put("app", "early", SOON), "it would commit by itself");

            application.setAutoCommit(false);
            own.put("app", "rolled-back", SOON);
            own.remove("app", "rolled-back");
            own.put("app", "rolled-back", SOON);
            application.rollback();
            assertEquals(Optional.empty(), node.tasks().find("app", "rolled-back"));

            own.put("app", "committed", SOON);
            assertEquals("committed", own.find("app", "committed").orElseThrow().name());
            assertEquals(Optional.empty(), node.tasks().find("app", "committed"), "it is not committed yet");
            application.commit();
            assertEquals("committed", runs.poll(30, TimeUnit.SECONDS));
            assertEquals(0, runs.size());
        }
    }

    @Test
    void a_call_that_fails_leaves_the_callers_transaction_as_it_was() throws Exception {
        try (Twinbell node = joined();
                Connection application = database.getConnection()) {
            application.setAutoCommit(false);
            Tasks own = node.tasks().in(application);
            own.put("app", "kept", LATER);
            assertThrows(
                    IllegalArgumentException.class, () -> own.put("app", "kept", "{\"schedule\":{\"cron\":\"x\"}}"));
            assertThrows(ConflictException.class, () -> own.patch("app", "kept", "{\"version\":99,\"priority\":1}"));
            application.commit();
            assertTrue(node.tasks().find("app", "kept").isPresent());
        }
    }

    @Test
    void a_put_beyond_the_quota_leaves_the_callers_transaction_as_it_was() throws Exception {
        TestTasks tasks = new TestTasks(database);
        try (Twinbell node = builder().set("quotas.tasks", "1").start();
                Connection application = database.getConnection()) {
            await().atMost(Duration.ofSeconds(60))
                    .ignoreExceptions()
                    .until(() -> tasks.number("select count(*) from twinbell.app_quota") == 1);
            application.setAutoCommit(false);
            Tasks own = node.tasks().in(application);
            own.put("app", "kept", LATER);
            QuotaException refused = assertThrows(QuotaException.class, () -> own.put("app", "more", LATER));
            assertEquals("quotas.tasks allows app \"app\" 1 tasks; it has 1, and this adds 1", refused.getMessage());
            application.commit();
            assertTrue(node.tasks().find("app", "kept").isPresent());
            assertThrows(QuotaException.class, () -> node.tasks().put("app", "more", LATER));
        }
    }

    @Test
    void a_role_without_rights_to_the_audit_log_leaves_an_entry_when_it_catches_up() throws Exception {
        TestTasks tasks = new TestTasks(database);
        try (Twinbell node = joined()) {
            long task = node.tasks()
                    .put("app", "t", "{\"schedule\":{\"every\":\"PT1H\"},\"handler\":{\"type\":\"log\"}}")
                    .id();
            node.tasks().pause("app", "t", "stocktaking", "ann");
            tasks.execute("update twinbell.task_state set next_fire_time = next_fire_time - interval '3 hours'");
            String role = "resuming_" + UUID.randomUUID().toString().substring(0, 8);
            tasks.execute("create role " + role + " login password 'x'; grant usage on schema twinbell to " + role
                    + "; grant select, insert, update, delete on twinbell.definition, twinbell.task, twinbell.task_state,"
                    + " twinbell.leap, twinbell.execution, twinbell.passed_slots, twinbell.task_calendar to " + role);
            try (Connection application = database.getConnection(role, "x")) {
                application.setAutoCommit(false);
                node.tasks().in(application).resume("app", "t", 2);
                application.commit();
                assertThrows(
                        SQLException.class,
                        () -> application
                                .createStatement()
                                .execute("select twinbell.audit_act('TASK', 'x', 'x', 'x', 'CREATE', null, 1)"));
                application.rollback();
                application
                        .createStatement()
                        .execute("select twinbell.audit_catch_up(array[" + task
                                + "], array(select twinbell.millis(fire_time) from twinbell.execution))");
                application.commit();
            }
            tasks.assertRows(
                    "select actor || ' ' || items from twinbell.audit_entry where act = 'CATCH_UP'",
                    "role " + role + " 2");
            tasks.execute("drop owned by " + role + "; drop role " + role);
        }
    }

    @Test
    void a_start_adds_at_most_eight_lines_of_its_own_to_the_applications_log() throws Exception {
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        Logger own = (Logger) LoggerFactory.getLogger("io.twinbell");
        own.addAppender(lines);
        try (Twinbell node = joined()) {
            await().atMost(Duration.ofMinutes(1))
                    .until(() -> said(lines).stream().anyMatch(line -> line.endsWith("fast takeover is armed")));
            List<String> said = said(lines);
            assertTrue(said.size() <= 8, () -> said.size() + " lines:\n" + String.join("\n", said));
            assertTrue(said.stream().anyMatch(line -> line.contains("-> MASTER")), said.toString());
            assertEquals(Optional.empty(), node.joinObstacle());
        } finally {
            own.detachAppender(lines);
        }
    }

    /** What a log at the level INFO shows. */
    private static List<String> said(ListAppender<ILoggingEvent> lines) {
        List<ILoggingEvent> copy;
        synchronized (lines) {
            copy = List.copyOf(lines.list);
        }
        return copy.stream()
                .filter(line -> line.getLevel().isGreaterOrEqual(Level.INFO))
                .map(line -> line.getLoggerName() + " " + line.getFormattedMessage())
                .toList();
    }

    @Test
    void failures_are_of_types_that_the_library_declares() throws Exception {
        assertThrows(
                ConfigurationException.class,
                () -> Twinbell.builder().set("node.idd", "a").start());
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String port = Integer.toString(taken.getLocalPort());
            assertThrows(
                    StartException.class, () -> builder().set("http.port", port).start());
            assertThrows(
                    StartException.class, () -> builder().set("jmx.port", port).start());
        }
    }

    @Test
    void a_missing_or_impossible_argument_is_refused_by_its_name() throws Exception {
        Twinbell.Builder builder = Twinbell.builder();
        assertRefused("a handler is required", () -> builder.handler("x", (TaskHandler) null));
        assertRefused("a key is required", () -> builder.set(null, "x"));
        assertRefused("an interceptor is required", () -> builder.intercept(null));
        assertRefused("the JSON is required", () -> Tasks.check("app", "x", null));
        assertRefused("the app is required", () -> Tasks.check(null, "x", LATER));
        try (Twinbell node = joined()) {
            assertRefused("the name is required", () -> node.tasks().put("app", null, LATER));
            assertRefused("the map of tasks is required", () -> node.tasks().addAll("app", null));
            assertRefused(
                    "the limit must be at least 1, not -1", () -> node.tasks().list("app", null, 0, -1));
            assertRefused("the instant is too far away", () -> node.tasks().why("app", "x", Instant.MAX));
            assertRefused("a selection is required", () -> node.executions().list("app", null, 1, null));
            assertRefused(
                    "\"null\" is not the id of an execution",
                    () -> node.executions().find("app", null));
            assertRefused("the JSON is required", () -> node.defaults().put("app", null));
            assertRefused("a reason is required", () -> node.pauses().pause("app:x", null, "ann"));
            assertRefused("the end is too far away", () -> node.pauses().pause("app:x", "r", "ann", Instant.MAX));
            assertRefused("a connection is required", () -> node.tasks().in(null));
            assertRefused("the code is required", () -> node.every(Duration.ofSeconds(1), "x", null));
        }
    }

    @Test
    void a_closed_node_says_so_and_not_that_its_database_fails() throws Exception {
        Twinbell node = joined();
        Tasks tasks = node.tasks();
        node.close();
        assertFalse(node.awaitJoined(Duration.ofMinutes(1)));
        assertEquals(Optional.of("the node is closed"), node.joinObstacle());
        for (Executable call : List.<Executable>of(
                () -> tasks.find("app", "x"),
                () -> tasks.put("app", "x", LATER),
                () -> node.executions().list("app", ExecutionSelection.failed(), 1, null),
                node::liveHandlerKeys)) {
            assertEquals(
                    "the node is closed",
                    assertThrows(IllegalStateException.class, call).getMessage());
        }
    }

    private static void assertRefused(String why, Executable call) {
        String message = assertThrows(IllegalArgumentException.class, call).getMessage();
        assertTrue(message.startsWith(why), message);
    }

    @Test
    void a_node_that_has_not_joined_says_what_it_waits_for() throws Exception {
        try (Twinbell node = builder()
                .set("database.url", "jdbc:postgresql://127.0.0.1:" + FreePort.take() + "/none?connectTimeout=1")
                .start()) {
            assertFalse(node.awaitJoined(Duration.ZERO));
            await().until(() -> node.joinObstacle().orElse("").contains("the database refuses connections"));
            assertThrows(DatabaseException.class, () -> node.tasks().find("app", "x"));
        }
        int port = FreePort.take();
        try (Twinbell node =
                builder().set("zookeeper.connect", "127.0.0.1:" + port).start()) {
            await().until(() -> node.joinObstacle().orElse("").contains("ZooKeeper does not answer"));
        }
    }

    @Test
    @SuppressWarnings("try") // The first node is closed early, so that the other takes over.
    void a_node_without_listeners_is_master_and_the_other_node_says_that_fast_takeover_is_off() throws Exception {
        try (Twinbell quiet = builder()
                .set("http.enabled", "false")
                .set("jmx.enabled", "false")
                .start()) {
            await().until(() -> quiet.role().equals("MASTER"));
            assertThrows(IllegalStateException.class, quiet::url);
            quiet.tasks().put("app", "quiet", SOON);
            assertEquals("quiet", runs.poll(30, TimeUnit.SECONDS));

            try (Twinbell standby = builder().set("node.id", "b").start()) {
                await().until(() -> standby.role().equals("STANDBY"));
                await().until(() -> get(standby.url() + "/api/v1/cluster")
                        .contains("master a has no API (http.enabled is false), so its death cannot be proven"));
                String cluster = get(standby.url() + "/api/v1/cluster");
                assertTrue(cluster.contains("node a cannot be asked: it has no API (http.enabled is false)"), cluster);
                quiet.close();
                await().until(() -> standby.role().equals("MASTER"));
            }
        }
    }

    private Twinbell joined() {
        Twinbell node = builder().start();
        assertTrue(
                node.awaitJoined(Duration.ofMinutes(1)),
                () -> node.joinObstacle().orElse(""));
        return node;
    }

    private Twinbell.Builder builder() {
        return TestNodes.builder("a", database, zooKeeper).handler("app.run", context -> {
            runs.add(context.name());
            return null;
        });
    }

    private static String get(String url) throws Exception {
        return HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(URI.create(url)).build(), HttpResponse.BodyHandlers.ofString())
                .body();
    }
}
