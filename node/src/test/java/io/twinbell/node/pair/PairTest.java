package io.twinbell.node.pair;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.ha.role.Role;
import io.twinbell.handler.TaskHandler;
import io.twinbell.node.config.NodeConfig;
import io.twinbell.node.handler.config.HandlerConfig;
import io.twinbell.persistence.cluster.NodeIdInUseException;
import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestTasks;
import io.twinbell.persistence.testing.TestZooKeeper;
import io.twinbell.tools.client.NodeClient;
import io.twinbell.tools.verify.VerificationResult;
import io.twinbell.tools.verify.Verifier;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.management.MBeanServerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.ds.PGSimpleDataSource;

/** Two whole nodes in one process, on a real PostgreSQL and a real ZooKeeper. */
@Timeout(90)
class PairTest {
    private final PGSimpleDataSource database = TestPostgres.freshDatabase();
    private final String zooKeeper = TestZooKeeper.freshFolder();
    private final TestTasks tasks = new TestTasks(database);
    private final ConcurrentLinkedQueue<String> calls = new ConcurrentLinkedQueue<>();
    private final Deque<SchedulerNode> nodes = new ArrayDeque<>();

    @AfterEach
    void stopNodes() {
        while (!nodes.isEmpty()) {
            nodes.pop().close();
        }
    }

    @Test
    void a_changed_calendar_binds_when_either_node_has_acknowledged_it() throws Exception {
        SchedulerNode a = start("a", database.getDatabaseName());
        await().until(() -> a.role() == Role.MASTER);
        SchedulerNode b = start("b", database.getDatabaseName());
        await().until(() -> b.role() == Role.STANDBY);
        assertEquals(201, put(b, "/api/v1/calendars/c", "{}"));
        assertEquals(
                201,
                put(
                        b,
                        "/api/v1/apps/test/tasks/t",
                        "{\"schedule\":{\"every\":\"PT0.1S\"},\"calendars\":[\"c\"],\"overlap\":\"ALLOW\","
                                + "\"handler\":{\"type\":\"java\",\"key\":\"k\"}}"));
        await().until(() -> calls.size() > 5);
        assertEquals(200, put(b, "/api/v1/calendars/c", "{\"mode\":\"ALLOW\",\"dates\":[\"2020-01-01\"]}"));
        long closed = nowMillis();
        tasks.assertRows("select state from twinbell.task_state", "FINISHED");
        await().until(() -> nowMillis() > closed + 500);
        long opens = nowMillis();
        assertEquals(200, put(a, "/api/v1/calendars/c", "{}"));
        int before = calls.size();
        await().until(() -> calls.size() > before + 5);
        assertEquals(
                0,
                count("fire_time > twinbell.instant(" + (closed + 100) + ") and fire_time < twinbell.instant(" + opens
                        + ")"));
        assertEquals(0, count("state not in ('SUCCEEDED', 'CLAIMED', 'RUNNING')"), "nothing was missed or skipped");
    }

    @Test
    void slots_whose_handler_only_the_lost_master_had_wait_for_it_and_verify_is_content() throws Exception {
        SchedulerNode a = start("a", database.getDatabaseName(), "k", "only");
        await().until(() -> a.role() == Role.MASTER);
        SchedulerNode b = start("b", database.getDatabaseName());
        await().until(() -> b.role() == Role.STANDBY);
        assertEquals(
                201,
                put(
                        b,
                        "/api/v1/apps/test/tasks/t",
                        "{\"schedule\":{\"every\":\"PT0.1S\"},\"overlap\":\"ALLOW\","
                                + "\"handler\":{\"type\":\"java\",\"key\":\"only\"}}"));
        await().until(() -> calls.size() > 5);
        a.close();
        await().until(() -> count("held_by is not null and fire_time < clock_timestamp() - interval '1 s'") > 5);
        assertEquals(0, count("state = 'FAILED'"));
        assertEquals(List.of(), verify(b, Duration.ofMillis(500)).violations());
        SchedulerNode again = start("a", database.getDatabaseName(), "k", "only");
        await().until(() -> again.role() == Role.STANDBY);
        b.close();
        await().until(() -> again.role() == Role.MASTER);
        await().until(() -> count("held_by is not null") == 0);
        tasks.execute("update twinbell.task_state set state = 'PAUSED', version = version + 1");
        await().until(() -> count("state in ('PENDING', 'CLAIMED', 'RUNNING')") == 0);
        assertEquals(calls.size(), calls.stream().distinct().count(), "no attempt was made twice");
        assertEquals(calls.size(), count("state = 'SUCCEEDED'"));
        assertEquals(List.of(), slotsThatAreOwedAndNotInTheLedger());
    }

    private static VerificationResult verify(SchedulerNode node, Duration grace) throws Exception {
        NodeClient client = new NodeClient(URI.create(node.url()), Duration.ofSeconds(20));
        Verifier.ProgressListener quiet = new Verifier.ProgressListener() {
            @Override
            public void at(long tasksDone, String task, double part) {}

            @Override
            public void sleep(Duration time) {}
        };
        return new Verifier(client, new Verifier.Scope(null, Duration.ofHours(1), grace, 50), quiet).verify();
    }

    private long nowMillis() {
        return tasks.number("select twinbell.now_millis()");
    }

    private static int put(SchedulerNode node, String path, String json) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(node.url() + path))
                .header("Content-Type", "application/json")
                .PUT(HttpRequest.BodyPublishers.ofString(json))
                .build();
        return HttpClient.newHttpClient()
                .send(request, HttpResponse.BodyHandlers.ofString())
                .statusCode();
    }

    @Test
    void a_node_id_that_is_in_use_and_a_database_of_another_cluster_are_refused() {
        SchedulerNode first = start("a", database.getDatabaseName());
        await().until(() -> first.role() == Role.MASTER);
        assertEquals(Optional.empty(), first.joinObstacle());
        SchedulerNode twin = start("a", database.getDatabaseName());
        SchedulerNode stranger = start("b", "another-name");

        ExecutionException elsewhere = refusal(stranger);
        assertTrue(elsewhere.getMessage().contains("one database serves one cluster"), elsewhere.getMessage());

        ExecutionException inUse = refusal(twin);
        assertEquals(NodeIdInUseException.class, inUse.getCause().getClass());
        assertTrue(inUse.getMessage().contains("node.id \"a\" is in use"), inUse.getMessage());
        assertFalse(twin.awaitJoined(Duration.ofMinutes(1)));
        assertTrue(
                twin.joinObstacle()
                        .orElse("")
                        .matches("node.id \"a\" is in use by .* in cluster \"" + database.getDatabaseName()
                                + "\" and database \\Q" + database.getUrl() + "\\E.*"),
                () -> twin.joinObstacle().orElse(""));
        assertEquals(Role.MASTER, first.role());
    }

    private static ExecutionException refusal(SchedulerNode node) {
        return assertThrows(ExecutionException.class, () -> node.ended().get(30, TimeUnit.SECONDS));
    }

    @Test
    void a_pair_whose_every_database_session_is_killed_again_and_again_keeps_its_master_and_its_slots() {
        SchedulerNode a = start("a", database.getDatabaseName());
        await().until(() -> a.role() == Role.MASTER);
        SchedulerNode b = start("b", database.getDatabaseName());
        await().until(() -> b.role() == Role.STANDBY);
        IntStream.range(0, 10).forEach(i -> insert("t" + i));
        for (int i = 0; i < 3; i++) {
            int before = calls.size();
            tasks.query("select pg_terminate_backend(pid) from pg_stat_activity"
                    + " where datname = current_database() and pid <> pg_backend_pid()");
            await().atMost(Duration.ofSeconds(20)).until(() -> calls.size() > before + 50);
        }
        assertEquals(Role.MASTER, a.role());
        tasks.execute("update twinbell.task_state set state = 'PAUSED', version = version + 1");
        await().atMost(Duration.ofSeconds(20)).until(() -> count("state in ('PENDING', 'CLAIMED', 'RUNNING')") == 0);
        assertEquals(List.of(), slotsThatAreOwedAndNotInTheLedger());
        assertEquals(calls.size(), calls.stream().distinct().count(), "no attempt was made twice");
    }

    @Test
    void a_database_that_is_shut_for_a_while_is_waited_for_and_the_master_stays_master() {
        SchedulerNode a = start("a", database.getDatabaseName());
        await().until(() -> a.role() == Role.MASTER);
        insert("t");
        await().until(() -> calls.size() > 3);
        shut(true);
        tasksOf(admin())
                .query("select pg_terminate_backend(pid) from pg_stat_activity where datname = '"
                        + database.getDatabaseName() + "'");
        await().until(() -> {
            int before = calls.size();
            Thread.onSpinWait();
            return before == calls.size();
        });
        shut(false);
        int before = calls.size();
        await().atMost(Duration.ofSeconds(20)).until(() -> calls.size() > before + 5);
        assertEquals(Role.MASTER, a.role());
        tasks.execute("update twinbell.task_state set state = 'PAUSED', version = version + 1");
        await().until(() -> count("state in ('PENDING', 'CLAIMED', 'RUNNING')") == 0);
        assertEquals(List.of(), slotsThatAreOwedAndNotInTheLedger());
    }

    private void shut(boolean shut) {
        tasksOf(admin()).execute("alter database " + database.getDatabaseName() + " allow_connections " + !shut);
    }

    private PGSimpleDataSource admin() {
        PGSimpleDataSource admin = new PGSimpleDataSource();
        admin.setServerNames(database.getServerNames());
        admin.setPortNumbers(database.getPortNumbers());
        admin.setUser(database.getUser());
        admin.setPassword(database.getPassword());
        admin.setDatabaseName("postgres");
        return admin;
    }

    private static TestTasks tasksOf(PGSimpleDataSource source) {
        return new TestTasks(source);
    }

    private SchedulerNode start(String node, String cluster) {
        return start(node, cluster, "k");
    }

    private SchedulerNode start(String node, String cluster, String... handlers) {
        TaskHandler handler = context -> {
            calls.add(context.idempotencyKey() + " " + context.attempt());
            return null;
        };
        NodeConfig.Endpoint any = new NodeConfig.Endpoint("127.0.0.1", 0);
        NodeConfig config = new NodeConfig(
                cluster,
                node,
                new NodeConfig.Listeners(any, any),
                new NodeConfig.Database(database.getUrl(), database.getUser(), database.getPassword()),
                new NodeConfig.ZooKeeper(zooKeeper, Duration.ofSeconds(2)),
                new NodeConfig.WorkerConfig(4, 1000, Duration.ofSeconds(5)),
                new NodeConfig.Retention(
                        Duration.ofDays(7),
                        Duration.ofDays(7),
                        Duration.ofDays(7),
                        Duration.ofDays(7),
                        Duration.ofDays(7)),
                HandlerConfig.DEFAULT);
        SchedulerNode started = new SchedulerNode(
                config,
                Arrays.stream(handlers).collect(Collectors.toMap(key -> key, key -> handler)),
                MBeanServerFactory.newMBeanServer());
        nodes.push(started);
        started.start();
        return started;
    }

    /** Every 100 ms from now on, told to the master as the API would. */
    private void insert(String name) {
        long now = tasks.number("select twinbell.now_millis()");
        String definition = "{\"schedule\":{\"every\":\"PT0.1S\"},\"start\":\"2026-01-05T00:00:00.000Z\","
                + "\"overlap\":\"ALLOW\",\"handler\":{\"type\":\"java\",\"key\":\"k\"}}";
        long id = tasks.insert(name, definition, now / 100 * 100 + 100);
        tasks.query("select pg_notify('twinbell_task', '" + id + "')");
    }

    private long count(String condition) {
        return tasks.number("select count(*) from twinbell.execution where " + condition);
    }

    /** From each task's first row to the fire time that it waits for, every 100 ms. */
    private List<String> slotsThatAreOwedAndNotInTheLedger() {
        return tasks.query("""
                select t.task_id, owed from twinbell.task_state t,
                  lateral (select min(fire_time) as first from twinbell.execution e where e.task_id = t.task_id) f,
                  lateral generate_series(f.first, t.next_fire_time - interval '100 ms', interval '100 ms') owed
                where not exists (select 1 from twinbell.execution e where e.task_id = t.task_id
                  and owed between e.fire_time and coalesce(e.until_fire_time, e.fire_time))""");
    }
}
