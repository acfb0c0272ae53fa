package io.twinbell;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.handler.InterceptedRun;
import io.twinbell.handler.InterceptorScope;
import io.twinbell.handler.TaskContext;
import io.twinbell.handler.TaskInterceptor;
import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestTasks;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import javax.management.MBeanServerFactory;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.ds.PGSimpleDataSource;

class EmbeddedNodeTest {
    private final PGSimpleDataSource database = TestPostgres.freshDatabase();

    @TempDir
    private Path directory;

    private final BlockingQueue<TaskContext> calls = new LinkedBlockingQueue<>();
    private volatile CountDownLatch hold = new CountDownLatch(0);

    @Test
    void a_program_runs_its_own_code_as_a_task_and_the_ledger_has_the_outcome() throws Exception {
        try (TestingServer zooKeeper = new TestingServer();
                Twinbell node = start(zooKeeper)) {
            await().until(() -> node.role().equals("MASTER"));
            String task = "{\"app\":\"billing\",\"name\":\"close\",\"schedule\":{\"in\":\"PT0.1S\"},\"data\":{\"n\":7},"
                    + "\"handler\":{\"type\":\"java\",\"key\":\"invoice.close\"}}";
            assertEquals(201, post(node.url() + "/api/v1/tasks", task));

            TaskContext call = calls.poll(30, TimeUnit.SECONDS);
            assertEquals("billing/close", call.app() + "/" + call.name());
            assertEquals(1, call.attempt());
            TestTasks ledger = new TestTasks(database);
            await().until(() ->
                    ledger.query("select state, output from twinbell.execution").equals(List.of("SUCCEEDED|closed 7")));
        }
    }

    @Test
    void a_task_added_in_the_applications_transaction_runs_when_it_commits() throws Exception {
        try (TestingServer zooKeeper = new TestingServer();
                Twinbell node = start(zooKeeper);
                Connection application = database.getConnection()) {
            await().until(() -> node.role().equals("MASTER"));
            application.setAutoCommit(false);
            String add = "select twinbell.add_task('billing', '%s', '{\"in\":\"PT0.1S\"}',"
                    + " '{\"type\":\"java\",\"key\":\"invoice.close\"}', '{\"data\":{\"n\":7}}')";
            application.createStatement().execute(add.formatted("rolled-back"));
            application.rollback();
            application.createStatement().execute(add.formatted("committed"));
            application.commit();

            assertEquals("committed", calls.poll(30, TimeUnit.SECONDS).name());
            assertEquals(0, calls.size());
        }
    }

    @Test
    void tasks_are_put_changed_found_and_removed_in_code_while_the_node_runs() throws Exception {
        try (TestingServer zooKeeper = new TestingServer();
                Twinbell node = start(zooKeeper)) {
            assertTrue(node.awaitJoined(Duration.ofMinutes(1)));
            Tasks tasks = node.tasks();
            String json =
                    "{\"schedule\":{\"every\":\"PT0.1S\"},\"tags\":[\"fast\"],\"data\":{\"n\":1},\"overlap\":\"ALLOW\","
                            + "\"handler\":{\"type\":\"java\",\"key\":\"invoice.close\"}}";
            TaskEntry stored = tasks.put("billing", "close", json);
            assertEquals(stored, tasks.put("billing", "close", json), "the same again changes nothing");
            assertEquals("close", calls.poll(30, TimeUnit.SECONDS).name());

            tasks.patch("billing", "close", "{\"enabled\":false}");
            TaskEntry paused = tasks.find("billing", "close").orElseThrow();
            assertEquals("PAUSED", paused.state());
            assertTrue(paused.previousFireTime().isBefore(paused.nextFireTime()));
            assertEquals(List.of(paused), tasks.list("billing", "fast", 0, 10));
            assertEquals(List.of(), tasks.list("billing", "slow", 0, 10));

            assertTrue(tasks.remove("billing", "close"));
            assertFalse(tasks.remove("billing", "close"));
            assertTrue(tasks.find("billing", "close").isEmpty());
            assertTrue(tasks.patch("billing", "close", "{}").isEmpty());
        }
    }

    @Test
    void many_tasks_are_added_at_once_all_that_are_new_or_none_where_one_makes_no_sense() throws Exception {
        try (TestingServer zooKeeper = new TestingServer();
                Twinbell node = start(zooKeeper)) {
            assertTrue(node.awaitJoined(Duration.ofMinutes(1)));
            Tasks tasks = node.tasks();
            String soon = "{\"schedule\":{\"in\":\"PT0.1S\"},\"data\":{\"n\":1},"
                    + "\"handler\":{\"type\":\"java\",\"key\":\"invoice.close\"}}";
            IllegalArgumentException refusal = assertThrows(
                    IllegalArgumentException.class,
                    () -> tasks.addAll("billing", Map.of("a", soon, "b", "{\"handler\":{\"type\":\"log\"}}")));
            assertTrue(refusal.getMessage().contains("task \"b\": /schedule"), refusal.getMessage());
            assertTrue(tasks.find("billing", "a").isEmpty());

            assertThrows(IllegalArgumentException.class, () -> tasks.addAll("billing", Map.of("half \uD83D", soon)));
            assertThrows(IllegalArgumentException.class, () -> tasks.put("billing", "half \uD83D", soon));
            assertThrows(IllegalArgumentException.class, () -> tasks.addAll(null, Map.of("a", soon)));
            Map<String, String> many = new HashMap<>(Map.of("nothing \0", soon));
            IntStream.range(0, 200).forEach(i -> many.put("nothing " + i, soon));
            assertThrows(IllegalArgumentException.class, () -> tasks.addAll("billing", many));

            long first = tasks.put("billing", "a", "{\"schedule\":{\"in\":\"PT1H\"},\"handler\":{\"type\":\"log\"}}")
                    .id();
            Map<String, Long> added = tasks.addAll("billing", Map.of("a", soon, "b", soon));
            assertEquals(Map.of("b", tasks.find("billing", "b").orElseThrow().id()), added);
            assertEquals(first, tasks.find("billing", "a").orElseThrow().id());
            assertEquals("b", calls.poll(30, TimeUnit.SECONDS).name());
            tasks.put("other", "stays", soon.replace("PT0.1S", "PT1H"));
            assertEquals(tasks.list("billing", null, 0, 10).size(), tasks.clear("billing"));
            assertEquals(0, tasks.clear("billing"));
            assertTrue(tasks.find("other", "stays").isPresent());
        }
    }

    @Test
    void a_task_that_makes_no_sense_is_refused_with_every_field_that_is_wrong() throws Exception {
        try (TestingServer zooKeeper = new TestingServer();
                Twinbell node = start(zooKeeper)) {
            assertTrue(node.awaitJoined(Duration.ofMinutes(1)));
            IllegalArgumentException refusal = assertThrows(
                    IllegalArgumentException.class,
                    () -> node.tasks()
                            .put(
                                    "billing",
                                    "close",
                                    "{\"schedule\":{\"cron\":\"0 0 31 2 *\"},\"ovrlap\":1,\"handler\":{\"type\":\"log\"}}"));
            assertTrue(refusal.getMessage().contains("/schedule"), refusal.getMessage());
            assertTrue(refusal.getMessage().contains("/ovrlap"), refusal.getMessage());
            assertThrows(IllegalArgumentException.class, () -> node.tasks().put("billing", "close", "[]"));
        }
    }

    @Test
    void a_node_that_is_closed_waits_for_its_running_handlers() throws Exception {
        try (TestingServer zooKeeper = new TestingServer();
                Twinbell node = start(zooKeeper)) {
            assertTrue(node.awaitJoined(Duration.ofMinutes(1)));
            hold = new CountDownLatch(1);
            node.tasks()
                    .put(
                            "billing",
                            "close",
                            "{\"schedule\":{\"in\":\"PT0.1S\"},\"data\":{\"n\":7},"
                                    + "\"handler\":{\"type\":\"java\",\"key\":\"invoice.close\"}}");
            calls.poll(30, TimeUnit.SECONDS);
            CompletableFuture<Void> closed = CompletableFuture.runAsync(node::close);
            await().until(() -> node.role().equals("DEMOTING"));
            assertFalse(closed.isDone());
            hold.countDown();
            closed.get(30, TimeUnit.SECONDS);
            assertEquals(
                    List.of("SUCCEEDED|closed 7"),
                    new TestTasks(database).query("select state, output from twinbell.execution"));
        }
    }

    @Test
    void an_interceptor_of_the_program_skips_a_task_of_its_app() throws Exception {
        try (TestingServer zooKeeper = new TestingServer();
                Twinbell node = builder(zooKeeper)
                        .intercept(InterceptorScope.app("billing"), new TaskInterceptor() {
                            @Override
                            public String name() {
                                return "holiday";
                            }

                            @Override
                            public Decision before(InterceptedRun run) {
                                return Decision.skip("closed today");
                            }
                        })
                        .start()) {
            assertTrue(node.awaitJoined(Duration.ofMinutes(1)));
            String json = "{\"schedule\":{\"in\":\"PT0.1S\"},\"data\":{\"n\":7},"
                    + "\"handler\":{\"type\":\"java\",\"key\":\"invoice.close\"}}";
            node.tasks().put("billing", "close", json);
            node.tasks().put("other", "close", json);
            TestTasks ledger = new TestTasks(database);
            await().until(() -> ledger.query(
                            "select app, state, coalesce(reason, '-') from twinbell.execution order by app")
                    .equals(List.of("billing|SKIPPED|skipped by holiday: closed today", "other|SUCCEEDED|-")));
            assertEquals("other", calls.poll(30, TimeUnit.SECONDS).app());
            assertEquals(0, calls.size());
        }
    }

    @Test
    void a_key_has_one_handler() {
        Twinbell.Builder builder = Twinbell.builder().handler("k", context -> null);
        assertThrows(IllegalArgumentException.class, () -> builder.handler("k", context -> null));
    }

    private Twinbell start(TestingServer zooKeeper) {
        return builder(zooKeeper).start();
    }

    private Twinbell.Builder builder(TestingServer zooKeeper) {
        return Twinbell.builder()
                .set("node.id", "a")
                .set("http.port", "0")
                .set("http.adminToken", directory.resolve("admin-token").toString())
                .set("jmx.port", "0")
                .set("database.url", database.getUrl())
                .set("database.user", database.getUser())
                .set("database.password", String.valueOf(database.getPassword()))
                .set("zookeeper.connect", zooKeeper.getConnectString())
                .beanServer(MBeanServerFactory.newMBeanServer())
                .handler("invoice.close", context -> {
                    calls.add(context);
                    hold.await();
                    return "closed " + context.data().replaceAll("\\D", "");
                });
    }

    private int post(String url, String body) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(url))
                .header("Content-Type", "application/json")
                .header(
                        "Authorization",
                        "Bearer "
                                + Files.readString(directory.resolve("admin-token"))
                                        .strip())
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
        return HttpClient.newHttpClient()
                .send(request, HttpResponse.BodyHandlers.discarding())
                .statusCode();
    }
}
