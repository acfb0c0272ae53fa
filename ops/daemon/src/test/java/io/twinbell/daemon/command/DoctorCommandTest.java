package io.twinbell.daemon.command;

import static io.twinbell.tools.cli.TypedCommand.assertExit;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpServer;
import io.twinbell.ha.latch.EnsembleSurvey;
import io.twinbell.ha.latch.KnownMembers;
import io.twinbell.ha.latch.TimelineMark;
import io.twinbell.ha.latch.ZooKeeperAccess;
import io.twinbell.ha.latch.ZooKeeperLink;
import io.twinbell.ha.role.Role;
import io.twinbell.node.config.ConfigReader;
import io.twinbell.node.pair.SchedulerNode;
import io.twinbell.persistence.cluster.MemberRegister;
import io.twinbell.persistence.database.DatabaseSettings;
import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.database.Migrations;
import io.twinbell.persistence.database.ServerHistory.Position;
import io.twinbell.persistence.testing.FreePort;
import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestSettings;
import io.twinbell.persistence.testing.TestTasks;
import io.twinbell.tools.cli.TypedCommand;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import javax.management.MBeanServerFactory;
import javax.net.SocketFactory;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;
import org.apache.curator.test.TestingServer;
import org.apache.zookeeper.CreateMode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.ds.PGSimpleDataSource;

/** The doctor on real servers: before the first node, beside a node, and after a move. */
@Timeout(120)
class DoctorCommandTest {
    private TestServers servers;
    private TestTasks database;
    private SchedulerNode node;

    @BeforeEach
    void start() throws Exception {
        servers = TestServers.start();
        database = new TestTasks(servers.database());
    }

    @AfterEach
    void stop() throws Exception {
        if (node != null) {
            node.close();
        }
        servers.close();
    }

    @Test
    void before_the_first_node_it_says_what_is_there_and_what_is_missing() {
        TypedCommand typed = servers.twinbell("doctor");
        assertEquals("", typed.err());
        assertEquals(List.of(), failures(typed), typed.out() + typed.err());
        for (String line : new String[] {
            "OK    PostgreSQL {6}version 1\\d.*",
            "OK    pooler {10}none found.*",
            "OK    fast takeover   the lock of a closed session was free after \\d+ ms",
            "OK    clock {11}the database is .*",
            "OK    replication {5}no replica is attached.*",
            "OK    schema {10}version \\d+",
            "OK    session {9}the timeout of 10000 ms is granted",
            "WARN  ensemble {8}1 server: while one is down, no node can take over.*",
            "OK    ZooKeeper ACL   the cluster has no folder yet",
            "WARN  other node {6}none has joined",
            "OK    port {12}http 127.0.0.1:0 is free",
            "(OK|WARN)  +open files .*"
        }) {
            assertTrue(typed.out().lines().anyMatch(said -> said.matches(line)), line + "\n" + typed.out());
        }
    }

    @Test
    void tasks_that_no_node_can_read_are_named_with_their_errors() {
        for (int i = 1; i <= 5; i++) {
            TestPostgres.execute(
                    servers.database(),
                    "select twinbell.add_task('shop', 't" + i + "', '{\"every\":\"PT1H\"}', '{\"type\":\"log\"}')");
        }
        String unreadable = "update twinbell.task_state set state = 'ERROR', state_reason = 'priority: is no number'"
                + " where task_id in (select id from twinbell.task where name <> 't1')";
        TestPostgres.execute(servers.database(), unreadable);
        TypedCommand typed = servers.twinbell("doctor");
        assertEquals(
                List.of("t2", "t3", "t4"),
                typed.out()
                        .lines()
                        .filter(line -> line.startsWith("WARN  task "))
                        .map(line -> line.replaceAll(".*no node can read shop/(.*): priority: is no number", "$1"))
                        .toList(),
                typed.out() + typed.err());
        assertTrue(typed.out().contains("'twinbell task list --state ERROR' names all"), typed.out());
    }

    /** The server of the tests is not durable, and the doctor says so. */
    private static List<String> failures(TypedCommand typed) {
        return typed.out()
                .lines()
                .filter(line -> line.startsWith("FAIL") && !line.contains(" fsync = off"))
                .toList();
    }

    @Test
    void servers_that_are_not_there_are_named_with_what_to_do() throws Exception {
        int nobody = FreePort.take();
        TypedCommand typed = servers.twinbell(
                "doctor",
                "-o",
                "json",
                "--set",
                "database.url=jdbc:postgresql://127.0.0.1:" + nobody + "/x",
                "--set",
                "zookeeper.connect=127.0.0.1:" + nobody);
        assertExit(2, typed);
        JsonNode told = new ObjectMapper().readTree(typed.out());
        assertEquals("FAIL", told.get("worst").asText());
        assertEquals("FAIL", finding(told, "PostgreSQL").get("level").asText());
        assertTrue(finding(told, "PostgreSQL").get("said").asText().contains(":" + nobody), typed.out());
        assertEquals(
                "start the server, or correct database.url, which must lead to one server that accepts writes",
                finding(told, "PostgreSQL").get("advice").asText());
        assertEquals("FAIL", finding(told, "ZooKeeper").get("level").asText());
        assertFalse(finding(told, "ZooKeeper").get("advice").asText().isEmpty());
    }

    @Test
    void a_database_that_is_set_up_differently_is_named_and_no_password_shown() throws Exception {
        PGSimpleDataSource admin = TestPostgres.emptyDatabase();
        String name = admin.getDatabaseName() + "_latin";
        TestPostgres.execute(
                admin, "create database " + name + " encoding 'LATIN1' lc_collate 'C' lc_ctype 'C' template template0");
        TestPostgres.execute(admin, "alter database " + name + " set statement_timeout = '9s'");
        String url = "jdbc:postgresql://" + admin.getServerNames()[0] + ":" + admin.getPortNumbers()[0] + "/" + name;
        TypedCommand typed = servers.twinbell("doctor", "--set", "database.url=" + url + "?sslpassword=s3cr3t");
        assertExit(2, typed);
        assertTrue(
                typed.out().contains("FAIL  encoding        database " + name + " has the encoding LATIN1"),
                typed.out());
        assertTrue(typed.out().contains("statement_timeout = 9000 (database)"), typed.out());
        assertFalse((typed.out() + typed.err()).contains("s3cr3t"));
        TypedCommand gone =
                servers.twinbell("doctor", "--set", "database.url=" + url + "?sslmode=verify-full&password=s3cr3t");
        assertExit(2, gone);
        assertFalse((gone.out() + gone.err()).contains("s3cr3t"), gone.out());
    }

    @Tag("thorough")
    @Test
    void a_server_that_is_no_zookeeper_and_a_missing_folder_are_named() throws Exception {
        HttpServer other = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        other.start();
        String http = "127.0.0.1:" + other.getAddress().getPort();
        TypedCommand typed = servers.twinbell("doctor", "--set", "zookeeper.connect=" + http);
        other.stop(0);
        assertExit(2, typed);
        assertTrue(
                typed.out().lines().anyMatch(line -> line.startsWith("FAIL  ZooKeeper       " + http + ": it ")),
                typed.out());
        String postgres = "localhost:" + servers.database().getPortNumbers()[0];
        assertTrue(
                servers.twinbell("doctor", "--set", "zookeeper.connect=" + postgres)
                        .out()
                        .contains("FAIL  ZooKeeper       " + postgres),
                "the port of PostgreSQL");
        String nowhere = servers.zooKeeper().getConnectString() + "/nowhere";
        TypedCommand missing = servers.twinbell("doctor", "--set", "zookeeper.connect=" + nowhere);
        assertExit(2, missing);
        assertTrue(missing.out().contains("FAIL  ZooKeeper folder"), missing.out());
        assertTrue(missing.out().contains(nowhere), missing.out());
        List<String> sets = servers.sets();
        sets.add("zookeeper.connect=" + nowhere);
        try (SchedulerNode lost = new SchedulerNode(
                ConfigReader.read(null, Map.of(), sets), Map.of(), MBeanServerFactory.newMBeanServer())) {
            lost.start();
            await().until(() -> lost.ended().isCompletedExceptionally());
            assertTrue(
                    lost.joinObstacle().orElse("").contains("does not have the folder"),
                    lost.joinObstacle().toString());
        }
    }

    @Tag("thorough")
    @Test
    void a_master_that_uses_another_zookeeper_is_a_failure() throws Exception {
        startNode();
        try (TestingServer another = new TestingServer(true)) {
            TypedCommand typed = servers.twinbell(
                    "doctor", "--set", "node.id=b", "--set", "zookeeper.connect=" + another.getConnectString());
            assertExit(2, typed);
            assertTrue(
                    typed.out().contains("node a is master in this database, but has no entry in ZooKeeper"),
                    typed.out());
        }
    }

    @Tag("thorough")
    @Test
    void a_wrong_host_and_a_port_of_something_else_are_explained() {
        String zooKeeper = servers.zooKeeper().getConnectString();
        for (String address : List.of("no-such-host.invalid:5432", zooKeeper)) {
            TypedCommand typed =
                    servers.twinbell("doctor", "--set", "database.url=jdbc:postgresql://" + address + "/x");
            assertExit(2, typed);
            assertTrue(
                    typed.out()
                            .matches("(?s).*FAIL  PostgreSQL .*" + address
                                    + ".*\\((UnknownHost|EOF|Socket).*|(?s).*Connection attempt timed out.*"),
                    typed.out());
        }
    }

    private static JsonNode finding(JsonNode told, String check) {
        for (JsonNode finding : told.get("findings")) {
            if (finding.get("check").asText().equals(check)) {
                return finding;
            }
        }
        throw new AssertionError(check + " is not in " + told);
    }

    @Test
    void a_port_that_somebody_else_has_is_a_failure_and_that_of_the_own_node_is_not() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            TypedCommand typed = servers.twinbell("doctor", "--set", "jmx.port=" + taken.getLocalPort());
            assertExit(2, typed);
            assertTrue(
                    typed.out().contains("FAIL  port            jmx 127.0.0.1:" + taken.getLocalPort()), typed.out());
        }
        startNode();
        String port = node.url().substring(node.url().lastIndexOf(':') + 1);
        TypedCommand beside = servers.twinbell("doctor", "--set", "http.port=" + port);
        assertEquals(List.of(), failures(beside), beside.out());
        assertTrue(
                beside.out().contains("http 127.0.0.1:" + port + " is used by node a, which is running"), beside.out());
        assertTrue(beside.out().contains("WARN  failover        there is no standby"), beside.out());
        TypedCommand other = servers.twinbell("doctor", "--set", "node.id=b", "--set", "cluster=another");
        assertTrue(
                other.out()
                        .contains(
                                "the database belongs to cluster \"twinbell\", but the configuration key cluster says \"another\""),
                other.out());
        TypedCommand peer = servers.twinbell("doctor", "--set", "node.id=b");
        assertTrue(peer.out().contains("OK    other node      a MASTER at " + node.url() + ", version "), peer.out());
    }

    @Test
    void a_database_that_was_moved_starts_paused_until_the_move_is_adopted() throws Exception {
        startNode();
        assertEquals(1, database.number("select count(*) from twinbell.cluster where system_identifier is not null"));
        TypedCommand refused = servers.twinbell("doctor", "--adopt");
        assertExit(2, refused);
        assertTrue(refused.err().contains("stop the nodes first; ZooKeeper has entries of: a"), refused.err());
        node.close();

        database.execute("update twinbell.cluster set system_identifier = '1'");
        startNode();
        assertEquals(
                1,
                database.number("select count(*) from twinbell.firing_pause where resumed_at is null and reason"
                        + " like 'the database has moved to the server with system identifier % from 1%'"));
        node.close();
        TypedCommand found = servers.twinbell("doctor");
        assertExit(2, found);
        assertTrue(found.out().contains("FAIL  server          the database is on another server"), found.out());

        database.execute("update twinbell.cluster set cluster_id = gen_random_uuid()");
        assertTrue(servers.twinbell("doctor").out().contains("FAIL  cluster id      ZooKeeper says "));
        TypedCommand adopted = servers.twinbell("doctor", "--adopt");
        assertExit(0, adopted);
        assertEquals(3, adopted.out().lines().count(), adopted.out());
        assertEquals(0, database.number("select count(*) from twinbell.firing_pause where resumed_at is null"));
        assertEquals(
                "nothing to adopt: the database and the ensemble already belong together",
                servers.twinbell("doctor", "--adopt").out().strip());
        startNode();
    }

    @Tag("thorough")
    @Test
    void a_server_on_an_earlier_timeline_than_a_node_has_used_is_named_until_it_is_adopted() throws Exception {
        startNode();
        await().ignoreExceptions().until(() -> usedTimeline(0) != null);
        node.close();
        Position present = usedTimeline(0);
        assertFalse(servers.twinbell("doctor").out().contains("timeline  "));
        assertEquals(present.timeline() + 8, usedTimeline(8).timeline());
        TypedCommand found = servers.twinbell("doctor");
        assertExit(2, found);
        assertTrue(
                found.out()
                        .contains("FAIL  timeline        the server is on timeline " + present.timeline()
                                + ", but a node used timeline " + (present.timeline() + 8)),
                found.out());
        TypedCommand adopted = servers.twinbell("doctor", "--adopt");
        assertExit(0, adopted);
        assertTrue(adopted.out().contains("removed from ZooKeeper: timeline "), adopted.out());
        startNode();
        await().ignoreExceptions()
                .until(() -> present.timeline() == usedTimeline(0).timeline());
    }

    @Test
    void a_backup_without_a_heartbeat_or_of_an_earlier_schema_is_adopted_only_when_that_is_settled() {
        Migrations.migrate(servers.database());
        TypedCommand unknown = servers.twinbell("doctor", "--adopt", "--slots", "MISSED");
        assertExit(2, unknown);
        assertTrue(unknown.err().contains("give the instant with --since"), unknown.err());
        TypedCommand shown = servers.twinbell("doctor", "--adopt", "--since", "2026-03-29T01:00:00Z");
        assertExit(0, shown);
        assertTrue(shown.out().contains("tasks that are due since 2026-03-29T01:00:00Z and may have run already: 0"));
        assertExit(2, servers.twinbell("doctor", "--since", "2026-03-29T01:00:00Z"));
        assertExit(2, servers.twinbell("doctor", "--adopt", "--since", "yesterday"));
        TestTasks database = new TestTasks(servers.database());
        assertEquals(0, database.number("select count(*) from twinbell.firing_pause"), "nothing was changed");
        database.execute("delete from twinbell.flyway_schema_history where version::int > 3");
        TypedCommand earlier = servers.twinbell("doctor", "--adopt");
        assertExit(2, earlier);
        assertTrue(earlier.err().contains("the schema has version 3, but this build adopts version "), earlier.err());
    }

    @Test
    void a_slot_that_the_master_was_late_with_when_the_history_ends_may_have_run_as_well() {
        Migrations.migrate(servers.database());
        TestTasks tasks = new TestTasks(servers.database());
        tasks.insert("late", "{}", Instant.parse("2026-03-29T00:59:59.500Z").toEpochMilli());
        TypedCommand shown = servers.twinbell("doctor", "--adopt", "--since", "2026-03-29T01:00:00Z");
        assertTrue(
                shown.out().contains("tasks that are due since 2026-03-29T00:59:59.500Z and may have run already: 1"),
                shown.out());
    }

    @Test
    void an_open_folder_of_zookeeper_is_found_and_closed() {
        startNode();
        String open = "WARN  ZooKeeper ACL   any client that reaches ZooKeeper may change the cluster's folder";
        assertTrue(servers.twinbell("doctor").out().contains(open));
        TypedCommand nobody = servers.twinbell("doctor", "--secure-zookeeper");
        assertExit(2, nobody);
        assertTrue(nobody.err().contains("set zookeeper.user and zookeeper.password, or zookeeper.acl"), nobody.err());
        String[] credentials = {"--set", "zookeeper.user=pair", "--set", "zookeeper.password=secret"};
        TypedCommand closed = servers.twinbell(
                "doctor", "--secure-zookeeper", credentials[0], credentials[1], credentials[2], credentials[3]);
        assertExit(0, closed);
        assertTrue(closed.out().matches("(?s)closed [1-9]\\d* nodes of ZooKeeper to other clients\\s*"), closed.out());
        TypedCommand after = servers.twinbell("doctor", credentials[0], credentials[1], credentials[2], credentials[3]);
        assertTrue(after.out().contains("OK    ZooKeeper ACL   not open to all clients"), after.out());
    }

    @Test
    void a_forged_entry_of_a_node_is_named_and_its_address_is_not_called() throws Exception {
        startNode();
        try (CuratorFramework stranger =
                CuratorFrameworkFactory.newClient(servers.zooKeeper().getConnectString(), new RetryOneTime(100))) {
            stranger.start();
            byte[] entry = "http=http://127.0.0.1:9".getBytes(StandardCharsets.UTF_8);
            stranger.create().withMode(CreateMode.EPHEMERAL).forPath("/twinbell/twinbell/nodes/forged", entry);
            String shown = servers.twinbell("doctor").out();
            assertTrue(shown.contains("nodes/forged was not written by a node of this database"), shown);
            assertFalse(shown.contains("http://127.0.0.1:9"), shown);
        }
    }

    /** The mark in ZooKeeper after another node has used a server that was promoted this many times more. */
    private Position usedTimeline(int promotions) {
        DatabaseSettings settings = TestSettings.of(servers.database(), "b");
        try (DedicatedConnection connection = new DedicatedConnection(settings, "b", 5);
                ZooKeeperLink link = new ZooKeeperLink(
                        servers.zooKeeper().getConnectString(),
                        "twinbell",
                        Duration.ofSeconds(10),
                        ZooKeeperAccess.OPEN,
                        () -> {});
                EnsembleSurvey survey = new EnsembleSurvey(
                        servers.zooKeeper().getConnectString(),
                        "twinbell",
                        Duration.ofSeconds(10),
                        ZooKeeperAccess.OPEN,
                        SocketFactory.getDefault())) {
            KnownMembers members = new KnownMembers();
            members.refresh(new MemberRegister(connection));
            Position position = settings.servers().newest().orElseThrow();
            settings.servers().note(new Position(position.system(), position.timeline() + promotions, 0), "a server");
            link.start();
            await().until(link::isConnected);
            if (promotions > 0) {
                new TimelineMark(link, "b", members, settings.servers()).step();
            }
            assertTrue(survey.connect());
            return survey.timeline().orElseThrow();
        }
    }

    private void startNode() {
        node = new SchedulerNode(
                ConfigReader.read(null, Map.of(), servers.sets()), Map.of(), MBeanServerFactory.newMBeanServer());
        node.start();
        await().atMost(Duration.ofSeconds(30)).until(() -> node.role() == Role.MASTER);
    }
}
