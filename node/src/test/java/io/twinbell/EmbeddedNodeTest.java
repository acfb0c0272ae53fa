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
import io.twinbell.node.handler.jvm.PluginJars;
import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestTasks;
import io.twinbell.persistence.testing.TestZooKeeper;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.ds.PGSimpleDataSource;

class EmbeddedNodeTest {
    private final PGSimpleDataSource database = TestPostgres.freshDatabase();
    private final String zooKeeper = TestZooKeeper.freshFolder();

    @TempDir
    private Path directory;

    private final BlockingQueue<TaskContext> calls = new LinkedBlockingQueue<>();
    private volatile CountDownLatch hold = new CountDownLatch(0);

    @Test
    void a_program_runs_its_own_code_as_a_task_and_the_ledger_has_the_outcome() throws Exception {
        try (Twinbell node = start()) {
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
        try (Twinbell node = start();
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
        try (Twinbell node = start()) {
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
        try (Twinbell node = start()) {
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
        try (Twinbell node = start()) {
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
        try (Twinbell node = start()) {
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
        try (Twinbell node = builder()
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
    void a_node_keeps_its_process_until_it_is_closed() {
        Set<Thread> others = threadsThatKeepTheProcess();
        try (Twinbell node = builder()
                .set("http.enabled", "false")
                .set("jmx.enabled", "false")
                .start()) {
            assertEquals(List.of("node-a"), keptBySince(others));
            assertTrue(node.awaitJoined(Duration.ofMinutes(1)));
            assertEquals(List.of("node-a"), keptBySince(others));
        }
        // Awaitility's own thread is no daemon.
        await().pollInSameThread().untilAsserted(() -> assertEquals(List.of(), keptBySince(others)));
    }

    @Test
    void whoever_closes_a_node_second_waits_for_the_first() throws Exception {
        try (Twinbell node = start()) {
            await().until(() -> node.role().equals("MASTER"));
            hold = new CountDownLatch(1);
            node.tasks()
                    .put(
                            "billing",
                            "close",
                            "{\"schedule\":{\"in\":\"PT0.1S\"},\"data\":{\"n\":7},"
                                    + "\"handler\":{\"type\":\"java\",\"key\":\"invoice.close\"}}");
            calls.poll(30, TimeUnit.SECONDS);
            CompletableFuture<Void> first = CompletableFuture.runAsync(node::close);
            await().until(() -> node.role().equals("DEMOTING"));
            Thread second = new Thread(node::close);
            second.start();
            await().until(() -> second.getState() == Thread.State.BLOCKED);
            hold.countDown();
            second.join();
            assertTrue(node.hasEnded());
            first.get(30, TimeUnit.SECONDS);
        }
    }

    private static Set<Thread> threadsThatKeepTheProcess() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> !thread.isDaemon())
                .collect(Collectors.toSet());
    }

    private static List<String> keptBySince(Set<Thread> others) {
        return threadsThatKeepTheProcess().stream()
                .filter(thread -> !others.contains(thread))
                .map(Thread::getName)
                .toList();
    }

    @Test
    void a_key_has_one_handler() {
        Twinbell.Builder builder = Twinbell.builder().handler("k", context -> null);
        assertThrows(IllegalArgumentException.class, () -> builder.handler("k", context -> null));
    }

    @Test
    void pauses_and_defaults_are_set_in_code_and_the_cluster_shows_them() throws Exception {
        try (Twinbell node = start()) {
            await().until(() -> node.role().equals("MASTER"));
            Pauses pauses = node.pauses();
            assertTrue(pauses.pause("app:billing", "stocktaking", "bob"));
            assertFalse(pauses.pause("app:billing", "audit", "ann", Instant.parse("2100-01-01T00:00:00Z")));
            StandingPause listed = pauses.list().get(0);
            assertEquals("app:billing audit ann", listed.key() + " " + listed.reason() + " " + listed.by());
            assertEquals(Instant.parse("2100-01-01T00:00:00Z"), listed.until().orElseThrow());
            assertThrows(IllegalArgumentException.class, () -> pauses.pause("billing", "", "bob"));
            String cluster = get(node.url() + "/api/v1/cluster");
            assertTrue(cluster.contains("\"standingPauses\":[{\"key\":\"app:billing\""), cluster);
            assertTrue(cluster.contains("\"notes\":[\"firing is paused for 1 app, tag or handler"), cluster);
            assertTrue(pauses.resume("app:billing"));
            assertFalse(pauses.resume("app:billing"));
            assertEquals(List.of(), pauses.list());

            TaskDefaults defaults = node.defaults();
            defaults.put("billing", "{\"timeout\":\"PT10S\"}");
            defaults.put(null, "{\"timeout\":\"PT20S\",\"priority\":3}");
            assertEquals(
                    "{\"timeout\":\"PT10S\"}",
                    defaults.find("billing").orElseThrow().replace(" ", ""));
            assertThrows(IllegalArgumentException.class, () -> defaults.put("billing", "{\"timeout\":\"soon\"}"));
            TaskEntry task = node.tasks()
                    .put(
                            "billing",
                            "close",
                            "{\"schedule\":{\"every\":\"PT1H\"},"
                                    + "\"handler\":{\"type\":\"java\",\"key\":\"invoice.close\"}}");
            assertTrue(
                    task.json().contains("\"timeout\":\"PT10S\"") && task.json().contains("\"priority\":3"),
                    task.json());
            assertTrue(defaults.remove("billing"));
            assertFalse(defaults.remove("billing"));
            assertTrue(
                    node.tasks().find("billing", "close").orElseThrow().json().contains("\"timeout\":\"PT20S\""),
                    "the task follows its defaults");
        }
    }

    @Test
    void a_plugin_starts_with_tasks_and_stops_with_the_node() throws Exception {
        Path plugins = Files.createDirectory(directory.resolve("plugins"));
        PluginJars.write(plugins.resolve("nightly.jar"), "Nightly", """
                package acme;
                import io.twinbell.handler.*;
                import java.util.Map;
                public class Nightly implements HandlerPlugin {
                    private String greeting;
                    public void onInit() { greeting = "hello"; }
                    public Map<String, TaskHandler> handlers() { return Map.of(greeting, context -> greeting); }
                    public void onStart(PluginTasks tasks) {
                        tasks.put("acme", "nightly", "{\\"schedule\\":{\\"every\\":\\"PT0.1S\\"},"
                            + "\\"handler\\":{\\"type\\":\\"java\\",\\"key\\":\\"hello\\"}}");
                        System.setProperty("acme.nightly", tasks.find("acme", "nightly").orElseThrow());
                    }
                    public void onStop() { System.setProperty("acme.nightly", "stopped"); }
                }
                """, "acme.Nightly");
        try (Twinbell node =
                builder().set("handlers.java.plugins", plugins.toString()).start()) {
            TestTasks ledger = new TestTasks(database);
            await().until(() -> node.role().equals("MASTER"));
            await().until(() -> ledger.query("select output from twinbell.execution where state = 'SUCCEEDED' limit 1")
                    .equals(List.of("hello")));
            String task = System.getProperty("acme.nightly");
            assertTrue(task.contains("\"name\":\"nightly\""), task);
        }
        assertEquals("stopped", System.clearProperty("acme.nightly"));
    }

    @Test
    void a_plugin_that_cannot_start_stops_the_node_before_it_joins_and_lets_its_process_end() throws Exception {
        Set<Thread> others = threadsThatKeepTheProcess();
        Path plugins = Files.createDirectory(directory.resolve("plugins"));
        PluginJars.write(plugins.resolve("bad.jar"), "Bad", """
                package acme;
                import io.twinbell.handler.*;
                public class Bad implements HandlerPlugin {
                    public java.util.Map<String, TaskHandler> handlers() { return java.util.Map.of(); }
                    public void onStart(PluginTasks tasks) { tasks.put("acme", "nightly", "{}"); }
                }
                """, "acme.Bad");
        try (Twinbell node =
                builder().set("handlers.java.plugins", plugins.toString()).start()) {
            assertFalse(node.awaitJoined(Duration.ofMinutes(1)));
            String reason = node.joinObstacle().orElseThrow();
            assertTrue(reason.startsWith("plugin acme.Bad (bad.jar) failed in onStart: "), reason);
            assertTrue(reason.contains("/schedule"), reason);
            // Awaitility's own thread is no daemon.
            await().pollInSameThread().untilAsserted(() -> assertEquals(List.of(), keptBySince(others)));
            assertEquals(Optional.of(reason), node.joinObstacle());
            assertTrue(
                    node.status().reasons().contains(reason),
                    () -> node.status().toString());
            assertFalse(node.metrics().isEmpty());
        }
    }

    private Twinbell start() {
        return builder().start();
    }

    private Twinbell.Builder builder() {
        return TestNodes.builder("a", database, zooKeeper)
                .set("http.adminToken", directory.resolve("admin-token").toString())
                .handler("invoice.close", context -> {
                    calls.add(context);
                    hold.await();
                    return "closed " + context.data().replaceAll("\\D", "");
                });
    }

    private String get(String url) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(url))
                .header(
                        "Authorization",
                        "Bearer "
                                + Files.readString(directory.resolve("admin-token"))
                                        .strip())
                .build();
        return HttpClient.newHttpClient()
                .send(request, HttpResponse.BodyHandlers.ofString())
                .body();
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
