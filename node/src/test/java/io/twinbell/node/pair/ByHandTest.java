package io.twinbell.node.pair;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.twinbell.ha.role.Role;
import io.twinbell.node.config.NodeConfig;
import io.twinbell.node.handler.config.HandlerConfig;
import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestTasks;
import io.twinbell.persistence.testing.TestZooKeeper;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import javax.management.MBeanServer;
import javax.management.MBeanServerFactory;
import javax.management.ObjectName;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.ds.PGSimpleDataSource;

/** What operators decide about the role, over HTTP and JMX, on whole nodes and real servers. */
@Timeout(120)
class ByHandTest {
    /** Longer than any test: no node can have waited for a session to time out. */
    private static final Duration SESSION = TestZooKeeper.LONGEST_SESSION;

    private final PGSimpleDataSource database = TestPostgres.freshDatabase();
    private final TestTasks tasks = new TestTasks(database);
    private final AtomicInteger calls = new AtomicInteger();
    private final Deque<AutoCloseable> opened = new ArrayDeque<>();
    private final MBeanServer beans = MBeanServerFactory.newMBeanServer();
    private String zooKeeper = TestZooKeeper.freshFolder();

    @AfterEach
    void close() throws Exception {
        while (!opened.isEmpty()) {
            opened.pop().close();
        }
    }

    private <T extends AutoCloseable> T opened(T part) {
        opened.push(part);
        return part;
    }

    @Test
    void while_takeovers_are_on_hold_nobody_follows_a_dead_master_and_released_the_standby_fires_at_once()
            throws Exception {
        DyingMaster a = opened(new DyingMaster(database, zooKeeper, SESSION));
        SchedulerNode b = start("b", MBeanServerFactory.newMBeanServer());
        await().atMost(Duration.ofSeconds(30)).until(() -> metric(b, "twinbell_fast_takeover_armed") == 1);
        insertTask();
        assertEquals(
                "bob",
                ask(b, "POST", "/api/v1/cluster/hold", "{\"reason\":\"kernel update\",\"by\":\"bob\"}")
                        .at("/hold/by")
                        .asText());
        a.dies();
        await().until(() -> status(b, "/health/ready") == 503);
        String why = ask(b, "GET", "/health/ready", "").at("/reasons/0").asText();
        assertEquals(
                "master a is gone, and node b does not take over: automatic takeover is on hold by bob (kernel update)",
                why);
        await("the dead master's session is ended all the same")
                .until(() -> tasks.query("select node, verdict from twinbell.takeover")
                        .equals(List.of("b|DEAD")));
        await().during(Duration.ofSeconds(1)).until(() -> b.role() == Role.STANDBY);
        assertEquals(0, calls.get());
        assertEquals(1, metric(b, "twinbell_takeover_on_hold"));
        assertEquals(1, metric(b, "twinbell_takeover_held_back"));
        JsonNode cluster = ask(b, "GET", "/api/v1/cluster", "");
        assertEquals(why, cluster.at("/nodes/0/heldBack").asText());
        assertTrue(cluster.at("/failoverReady/estimatedGap").isNull(), "nobody would take over");

        ask(b, "POST", "/api/v1/cluster/release", "");
        await().until(() -> calls.get() > 0);
        assertEquals(Role.MASTER, b.role());
        await().until(() -> status(b, "/health/ready") == 200);
        assertEquals(0, metric(b, "twinbell_takeover_held_back"));
        await("the history is written a moment later")
                .until(() -> tasks.query(
                                "select reason from twinbell.role_history where node = 'b' and to_role = 'MASTER'")
                        .equals(List.of("a is dead; automatic takeover was on hold until now by bob (kernel update)")));
    }

    /** The latest; it is entered a moment after the role is taken. */
    private static JsonNode promotion(SchedulerNode node) {
        return await().until(
                        () -> {
                            for (JsonNode change :
                                    ask(node, "GET", "/api/v1/cluster", "").path("history")) {
                                if (change.path("to").asText().equals("MASTER")) {
                                    return change;
                                }
                            }
                            return null;
                        },
                        Objects::nonNull);
    }

    @Test
    void a_hold_survives_a_restart_and_a_switchover_works_in_spite_of_it() throws Exception {
        SchedulerNode a = start("a", MBeanServerFactory.newMBeanServer());
        await().until(() -> a.role() == Role.MASTER);
        SchedulerNode b = start("b", beans);
        await().until(() -> b.role() == Role.STANDBY);
        ask(b, "POST", "/api/v1/cluster/hold", "{\"by\":\"bob\"}");
        await().until(() -> isOnHold(beans));
        a.close();
        await().until(() -> status(b, "/health/ready") == 503);
        SchedulerNode again = start("a", MBeanServerFactory.newMBeanServer());
        await("a stopped master comes back to its role").until(() -> again.role() == Role.MASTER);
        await().until(() -> status(b, "/health/ready") == 200);
        assertEquals(
                "bob", ask(again, "GET", "/api/v1/cluster", "").at("/hold/by").asText());
        await().until(() -> standsInLine(again, "b"));
        JsonNode done = ask(
                again,
                "POST",
                "/api/v1/cluster/switchover",
                "{\"to\":\"b\",\"by\":\"eve\",\"reason\":\"night shift\"}");
        assertEquals("b", done.path("to").asText(), done.toString());
        await().until(() -> b.role() == Role.MASTER);
        assertEquals(
                "a handed over: night shift (asked by eve)",
                promotion(b).path("reason").asText());
        assertTrue(isOnHold(beans), "the hold goes on");
        ask(b, "POST", "/api/v1/cluster/release", "{\"reason\":\"the network is back\"}");
        ask(b, "POST", "/api/v1/cluster/pause", "{\"reason\":\"move\"}");
        ask(b, "POST", "/api/v1/cluster/resume", "{\"reason\":\"moved\"}");
        assertEquals(
                List.of(
                        "anybody HTTP HOLD HOLD",
                        "anybody HTTP ROLE MOVE",
                        "anybody HTTP HOLD RELEASE: the network is back",
                        "anybody HTTP PAUSE PAUSE",
                        "anybody HTTP PAUSE RESUME: moved"),
                entries("HTTP"));
    }

    private static boolean standsInLine(SchedulerNode asked, String node) throws Exception {
        JsonNode cluster = ask(asked, "GET", "/api/v1/cluster", "");
        String reasons = cluster.at("/failoverReady/reasons").toString();
        return !reasons.contains("does not take part")
                && !reasons.contains("no standby")
                && cluster.toString().contains(node);
    }

    @Test
    void a_switchover_goes_only_to_a_node_that_stands_by() throws Exception {
        SchedulerNode a = start("a", MBeanServerFactory.newMBeanServer());
        await().until(() -> a.role() == Role.MASTER);
        assertRefused(
                a,
                "switchover",
                "{}",
                "there is no standby that could take over: no standby takes part in the election and reaches the"
                        + " database");
        SchedulerNode b = start("b", beans);
        await().until(() -> b.role() == Role.STANDBY);
        await().until(() -> standsInLine(a, "b"));
        assertRefused(b, "switchover", "{\"to\":\"a\"}", "node a is already master");
        assertRefused(a, "switchover", "{\"to\":\"c\"}", "node c is not a standby; current standby: b");
        assertEquals(Role.MASTER, a.role());
    }

    @Test
    void a_master_that_lives_loses_its_role_to_a_failover_only_by_force() throws Exception {
        DyingMaster a = opened(new DyingMaster(database, zooKeeper, SESSION));
        SchedulerNode b = start("b", MBeanServerFactory.newMBeanServer());
        await().atMost(Duration.ofSeconds(30)).until(() -> metric(b, "twinbell_fast_takeover_armed") == 1);
        a.beats();
        JsonNode refused = ask(b, "POST", "/api/v1/cluster/failover", "{}");
        assertEquals(409, refused.path("status").asInt());
        assertTrue(refused.path("detail").asText().startsWith("master a is alive"), refused.toString());
        JsonNode done =
                ask(b, "POST", "/api/v1/cluster/failover", "{\"force\":true,\"by\":\"bob\",\"reason\":\"it hangs\"}");
        assertEquals("b", done.path("to").asText(), done.toString());
        String reason = promotion(b).path("reason").asText();
        assertTrue(reason.endsWith(": it hangs (asked by bob)"), reason);
        assertEquals(List.of("anybody HTTP ROLE MOVE"), entries("HTTP"));
    }

    @Test
    void a_dead_master_is_followed_by_hand_while_takeovers_are_on_hold() throws Exception {
        DyingMaster a = opened(new DyingMaster(database, zooKeeper, SESSION));
        SchedulerNode b = start("b", MBeanServerFactory.newMBeanServer());
        await().atMost(Duration.ofSeconds(30)).until(() -> metric(b, "twinbell_fast_takeover_armed") == 1);
        ask(b, "POST", "/api/v1/cluster/hold", "{\"by\":\"bob\"}");
        a.dies();
        await().until(() -> metric(b, "twinbell_takeover_held_back") == 1);
        tasks.execute("update twinbell.heartbeat set beat_at = beat_at - interval '4 s'");
        await("its last heartbeat is old")
                .until(() -> ask(b, "GET", "/api/v1/cluster", "").path("master").isNull());
        JsonNode done = ask(b, "POST", "/api/v1/cluster/failover", "{\"by\":\"bob\"}");
        assertEquals("b", done.path("to").asText(), done.toString());
        assertEquals(
                "a is dead: failover by hand (asked by bob)",
                promotion(b).path("reason").asText());
    }

    @Test
    void without_zookeeper_a_failover_is_refused_and_the_master_goes_on() throws Exception {
        TestingServer server = opened(new TestingServer());
        zooKeeper = server.getConnectString();
        SchedulerNode a = start("a", MBeanServerFactory.newMBeanServer());
        await().until(() -> a.role() == Role.MASTER);
        SchedulerNode b = start("b", MBeanServerFactory.newMBeanServer());
        await().until(() -> b.role() == Role.STANDBY);
        server.stop();
        JsonNode refused = ask(b, "POST", "/api/v1/cluster/failover", "{\"force\":true}");
        assertEquals(409, refused.path("status").asInt());
        assertTrue(refused.path("detail").asText().startsWith("ZooKeeper does not answer node b"), refused.toString());
        assertEquals(0, tasks.number("select count(*) from twinbell.hand_over_request"));
        assertEquals(Role.MASTER, a.role());
        server.restart();
    }

    @Test
    void without_the_database_a_hold_is_not_acknowledged() throws Exception {
        SchedulerNode a = start("a", MBeanServerFactory.newMBeanServer());
        await().until(() -> a.role() == Role.MASTER);
        shut(true);
        try {
            assertEquals(
                    503,
                    ask(a, "POST", "/api/v1/cluster/hold", "{}").path("status").asInt());
        } finally {
            shut(false);
        }
        await().until(() -> ask(a, "GET", "/api/v1/cluster", "").has("hold"));
        assertTrue(ask(a, "GET", "/api/v1/cluster", "").path("hold").isNull());
    }

    @Test
    void resigning_over_jmx_moves_the_role_while_takeovers_are_on_hold() throws Exception {
        SchedulerNode a = start("a", beans);
        await().until(() -> a.role() == Role.MASTER);
        SchedulerNode b = start("b", MBeanServerFactory.newMBeanServer());
        await().until(() -> b.role() == Role.STANDBY);
        await().until(() -> standsInLine(a, "b"));
        ask(b, "POST", "/api/v1/cluster/hold", "{}");
        beans.invoke(leadership(), "resign", null, null);
        await().until(() -> b.role() == Role.MASTER);
        assertFalse(a.role() == Role.MASTER);
        beans.invoke(leadership(), "pause", new Object[] {"move"}, new String[] {String.class.getName()});
        beans.invoke(leadership(), "resume", null, null);
        assertEquals(
                List.of("JMX client JMX ROLE MOVE", "JMX client JMX PAUSE PAUSE", "JMX client JMX PAUSE RESUME"),
                entries("JMX"));
    }

    private List<String> entries(String channel) {
        return tasks.query(
                "select concat_ws(': ', concat_ws(' ', actor, channel, kind, act), detail) from twinbell.audit_entry"
                        + " where channel = '" + channel
                        + "' and outcome = 'DONE' order by id");
    }

    private void shut(boolean shut) {
        PGSimpleDataSource admin = new PGSimpleDataSource();
        admin.setServerNames(database.getServerNames());
        admin.setPortNumbers(database.getPortNumbers());
        admin.setUser(database.getUser());
        admin.setPassword(database.getPassword());
        admin.setDatabaseName("postgres");
        TestTasks sql = new TestTasks(admin);
        sql.execute("alter database " + database.getDatabaseName() + " allow_connections " + !shut);
        if (shut) {
            sql.query("select pg_terminate_backend(pid) from pg_stat_activity where datname = '"
                    + database.getDatabaseName() + "'");
        }
    }

    private static boolean isOnHold(MBeanServer beans) throws Exception {
        return (Boolean) beans.getAttribute(leadership(), "OnHold");
    }

    private static ObjectName leadership() throws Exception {
        return new ObjectName("io.twinbell:type=Leadership");
    }

    private SchedulerNode start(String node, MBeanServer server) {
        NodeConfig.Endpoint any = new NodeConfig.Endpoint("127.0.0.1", 0);
        Duration week = Duration.ofDays(7);
        NodeConfig config = new NodeConfig(
                database.getDatabaseName(),
                node,
                new NodeConfig.Listeners(any, any),
                new NodeConfig.Database(database.getUrl(), database.getUser(), database.getPassword()),
                new NodeConfig.ZooKeeper(zooKeeper, SESSION),
                new NodeConfig.WorkerConfig(4, 1000, Duration.ofSeconds(5)),
                new NodeConfig.Retention(week, week, week, week, week),
                HandlerConfig.DEFAULT);
        SchedulerNode started = opened(new SchedulerNode(
                config,
                Map.of("k", context -> {
                    calls.incrementAndGet();
                    return null;
                }),
                server));
        started.start();
        return started;
    }

    /** Every 100 ms. */
    private void insertTask() {
        tasks.insert(
                "t",
                "{\"schedule\":{\"every\":\"PT0.1S\"},\"start\":\"2026-01-05T00:00:00.000Z\","
                        + "\"overlap\":\"ALLOW\",\"handler\":{\"type\":\"java\",\"key\":\"k\"}}",
                tasks.number("select twinbell.now_millis()") / 100 * 100 + 100);
    }

    private static void assertRefused(SchedulerNode node, String what, String body, String detail) throws Exception {
        JsonNode answer = ask(node, "POST", "/api/v1/cluster/" + what, body);
        assertEquals(409, answer.path("status").asInt(), answer.toString());
        assertEquals(detail, answer.path("detail").asText());
    }

    private static JsonNode ask(SchedulerNode node, String method, String path, String body) throws Exception {
        return new ObjectMapper().readTree(send(node, method, path, body).body());
    }

    private static int status(SchedulerNode node, String path) throws Exception {
        return send(node, "GET", path, "").statusCode();
    }

    private static HttpResponse<String> send(SchedulerNode node, String method, String path, String body)
            throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(node.url() + path))
                .header("Content-Type", "application/json")
                .method(method, BodyPublishers.ofString(body))
                .build();
        return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
    }

    private static double metric(SchedulerNode node, String name) throws Exception {
        return send(node, "GET", "/metrics", "")
                .body()
                .lines()
                .filter(line -> line.startsWith(name + " "))
                .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
                .findFirst()
                .orElse(-1);
    }
}
