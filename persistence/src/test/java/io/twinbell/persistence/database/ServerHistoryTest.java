package io.twinbell.persistence.database;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.persistence.testing.ReplicatedPostgres;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.PGConnection;
import org.postgresql.ds.PGSimpleDataSource;

class ServerHistoryTest {
    @TempDir
    static Path directory;

    private static ReplicatedPostgres servers;

    private final ServerHistory history = new ServerHistory();

    @BeforeAll
    static void start() throws Exception {
        servers = ReplicatedPostgres.start(directory);
    }

    @AfterAll
    static void stop() {
        servers.close();
    }

    @BeforeEach
    void forgetEarlierTests() throws Exception {
        servers.onPrimary("select setval('twinbell.history_mark', 0, false)");
        servers.renewReplica();
    }

    @Test
    void a_promoted_server_is_followed_and_its_former_primary_refused() throws Exception {
        try (Connection primary = servers.primary().getConnection();
                Connection replica = servers.replica().getConnection()) {
            int before = history.admit(primary);
            assertTrue(history.isCurrent(before));
            assertEquals(ServerHistory.NOT_ADMITTED, history.admit(replica), "it is in recovery");

            servers.promote();
            assertEquals(before, history.admit(primary), "nobody knows of the promotion yet");
            int after = history.admit(replica);
            assertTrue(history.isCurrent(after));
            assertFalse(history.isCurrent(before));
            SQLException refused = assertThrows(SQLException.class, () -> history.admit(primary));
            assertTrue(refused.getMessage().contains("is a former primary on timeline 1"), refused.getMessage());
        }
    }

    @Test
    void all_connections_of_a_node_leave_a_former_primary() throws Exception {
        try (DedicatedConnection claims = connection(servers.primary());
                DedicatedConnection pulse = connection(servers.replica())) {
            assertEquals(1, claims.<Integer>run(ServerHistoryTest::one));
            servers.promote();
            assertEquals(1, claims.<Integer>run(ServerHistoryTest::one));
            assertEquals(1, pulse.<Integer>run(ServerHistoryTest::one));
            DatabaseUnavailableException broken =
                    assertThrows(DatabaseUnavailableException.class, () -> claims.run(ServerHistoryTest::one));
            assertTrue(broken.getMessage().contains("must be reopened"), broken.getMessage());
            DatabaseUnavailableException refused =
                    assertThrows(DatabaseUnavailableException.class, () -> claims.run(ServerHistoryTest::one));
            assertTrue(refused.getMessage().contains("on timeline 1"), refused.getMessage());
            assertTrue(refused.summary().startsWith("this node refuses the database"), refused.summary());
            assertTrue(refused.advice().orElseThrow().contains("stop all but the one"), "two servers accept writes");
        }
    }

    @Test
    void a_connection_that_was_opened_while_its_server_was_in_recovery_is_admitted_when_it_takes_writes()
            throws Exception {
        try (DedicatedConnection pulse = connection(servers.replica())) {
            assertEquals(1, pulse.<Integer>run(ServerHistoryTest::one));
            servers.promote();
            assertEquals(1, pulse.<Integer>run(ServerHistoryTest::one));
        }
        try (Connection primary = servers.primary().getConnection()) {
            assertThrows(SQLException.class, () -> history.admit(primary));
        }
    }

    @Test
    void the_newer_of_two_primaries_in_the_url_is_used_wherever_it_stands() throws Exception {
        PGSimpleDataSource both = new PGSimpleDataSource();
        both.setUrl("jdbc:postgresql://127.0.0.1:" + servers.primary().getPortNumbers()[0] + ",127.0.0.1:"
                + servers.replica().getPortNumbers()[0] + "/" + ReplicatedPostgres.DATABASE
                + "?targetServerType=primary");
        both.setUser("postgres");
        try (DedicatedConnection claims = connection(both);
                DedicatedConnection pulse = connection(servers.replica())) {
            assertEquals(servers.primary().getPortNumbers()[0], claims.<Integer>run(ServerHistoryTest::port));
            servers.promote();
            pulse.run(ServerHistoryTest::one);
            assertThrows(DatabaseUnavailableException.class, () -> claims.run(ServerHistoryTest::port));
            assertEquals(servers.replica().getPortNumbers()[0], claims.<Integer>run(ServerHistoryTest::port));
        }
    }

    @Test
    void a_former_primary_that_comes_first_in_the_url_is_not_used_although_nobody_has_met_its_successor()
            throws Exception {
        servers.promote();
        PGSimpleDataSource both = new PGSimpleDataSource();
        both.setUrl("jdbc:postgresql://127.0.0.1:" + servers.primary().getPortNumbers()[0] + ",127.0.0.1:"
                + servers.replica().getPortNumbers()[0] + "/" + ReplicatedPostgres.DATABASE
                + "?targetServerType=primary");
        both.setUser("postgres");
        try (DedicatedConnection claims = connection(both)) {
            assertEquals(servers.replica().getPortNumbers()[0], claims.<Integer>run(ServerHistoryTest::port));
        }
    }

    @Test
    void another_database_system_is_refused() throws Exception {
        try (Connection primary = servers.primary().getConnection();
                EmbeddedPostgres otherServer = EmbeddedPostgres.start();
                Connection other = otherServer.getPostgresDatabase().getConnection()) {
            history.admit(primary);
            SQLException refused = assertThrows(SQLException.class, () -> history.admit(other));
            assertTrue(refused.getMessage().contains("it is another database"), refused.getMessage());
        }
    }

    @Test
    void a_promotion_seen_by_another_node_counts_as_seen() throws Exception {
        try (DedicatedConnection claims = connection(servers.primary())) {
            assertEquals(1, claims.<Integer>run(ServerHistoryTest::one));
            ServerHistory.Position position = history.newest().orElseThrow();
            history.note(new ServerHistory.Position(position.system() + 1, 9, 0), "a node of another database");
            assertEquals(1, claims.<Integer>run(ServerHistoryTest::one));
            history.note(new ServerHistory.Position(position.system(), 2, 0), "node b");
            assertThrows(DatabaseUnavailableException.class, () -> claims.run(ServerHistoryTest::one));
            DatabaseUnavailableException refused =
                    assertThrows(DatabaseUnavailableException.class, () -> claims.run(ServerHistoryTest::one));
            assertTrue(refused.getMessage().contains("this node has used timeline 2 at node b"), refused.getMessage());
            servers.promote();
        }
        try (DedicatedConnection claims = connection(servers.replica())) {
            assertEquals(1, claims.<Integer>run(ServerHistoryTest::one));
        }
    }

    @Test
    void an_older_copy_on_the_same_timeline_is_refused() throws Exception {
        long now = mark(10_000);
        try (DedicatedConnection claims = connection(servers.primary())) {
            assertEquals(1, claims.<Integer>run(ServerHistoryTest::one));
        }
        history.marked(history.generation(), now);
        mark(9_000);
        try (DedicatedConnection claims = connection(servers.primary())) {
            DatabaseUnavailableException refused =
                    assertThrows(DatabaseUnavailableException.class, () -> claims.run(ServerHistoryTest::one));
            assertTrue(
                    refused.getMessage()
                            .contains("lacks all commits after 1970-01-01T00:00:09Z, but the pair has used it"
                                    + " until 1970-01-01T00:00:10Z: it is an older copy"),
                    refused.getMessage());
            assertEquals(Optional.empty(), refused.advice(), "nothing says that there are two servers");
            mark(10_000);
            assertEquals(1, claims.<Integer>run(ServerHistoryTest::one));
        }
    }

    @Test
    void connections_opened_before_the_mark_was_known_are_checked_again() throws Exception {
        mark(9_000);
        try (DedicatedConnection claims = connection(servers.primary())) {
            assertEquals(1, claims.<Integer>run(ServerHistoryTest::one));
            ServerHistory.Position position = history.newest().orElseThrow();
            history.note(new ServerHistory.Position(position.system(), position.timeline(), 10_000), "node a");
            assertThrows(DatabaseUnavailableException.class, () -> claims.run(ServerHistoryTest::one));
            DatabaseUnavailableException refused =
                    assertThrows(DatabaseUnavailableException.class, () -> claims.run(ServerHistoryTest::one));
            assertTrue(refused.getMessage().contains("it is an older copy"), refused.getMessage());
        }
    }

    @Test
    void a_node_that_starts_between_two_heartbeats_of_the_master_keeps_its_connections() throws Exception {
        mark(9_000);
        try (DedicatedConnection claims = connection(servers.primary())) {
            int session = claims.run(ServerHistoryTest::session);
            mark(10_000);
            ServerHistory.Position position = history.newest().orElseThrow();
            history.note(new ServerHistory.Position(position.system(), position.timeline(), 10_000), "node a");
            assertEquals(session, claims.<Integer>run(ServerHistoryTest::session));
            mark(9_000);
            assertEquals(session, claims.<Integer>run(ServerHistoryTest::session), "it is checked once");
        }
    }

    private static int session(Connection connection) {
        return ((PGConnection) connection).getBackendPID();
    }

    @Test
    void a_mark_that_was_answered_before_a_promotion_says_nothing_about_the_promoted_server() throws Exception {
        mark(10_000);
        try (DedicatedConnection claims = connection(servers.primary())) {
            assertEquals(1, claims.<Integer>run(ServerHistoryTest::one));
        }
        await().until(() -> servers.onReplica("select last_value from twinbell.history_mark")
                .equals("10000"));
        int before = history.generation();
        servers.promote();
        try (DedicatedConnection claims = connection(servers.replica())) {
            assertEquals(1, claims.<Integer>run(ServerHistoryTest::one));
            history.marked(before, 11_000);
            assertEquals(0, history.newest().orElseThrow().markMillis());
        }
        try (DedicatedConnection again = connection(servers.replica())) {
            assertEquals(1, again.<Integer>run(ServerHistoryTest::one));
        }
    }

    @Test
    void a_promoted_server_may_lack_seconds_and_no_more() throws Exception {
        long lost = ServerHistory.MOST_LOST.toMillis();
        mark(10_000);
        try (DedicatedConnection claims = connection(servers.primary())) {
            assertEquals(1, claims.<Integer>run(ServerHistoryTest::one));
        }
        await().until(() -> servers.onReplica("select last_value from twinbell.history_mark")
                .equals("10000"));
        servers.promote();
        history.marked(history.generation(), 10_000 + lost + 1);
        try (DedicatedConnection claims = connection(servers.replica())) {
            DatabaseUnavailableException refused =
                    assertThrows(DatabaseUnavailableException.class, () -> claims.run(ServerHistoryTest::one));
            assertTrue(refused.getMessage().contains("it is an older copy"), refused.getMessage());
            servers.onReplica("select setval('twinbell.history_mark', 10001)");
            assertEquals(1, claims.<Integer>run(ServerHistoryTest::one));
        }
    }

    @Test
    void a_position_is_refused_exactly_when_a_node_refuses_its_server() throws Exception {
        long lost = ServerHistory.MOST_LOST.toMillis();
        mark(100_000);
        await().until(() -> servers.onReplica("select last_value from twinbell.history_mark")
                .equals("100000"));
        servers.promote();
        ServerHistory.Position present;
        try (Connection replica = servers.replica().getConnection()) {
            present = ServerHistory.readPosition(replica).orElseThrow();
        }
        assertEquals(2, present.timeline());
        List<Boolean> refused = new ArrayList<>();
        for (long[] known : new long[][] {{1, lost}, {1, lost + 1}, {2, 0}, {2, 1}, {3, -1}, {3, -2 * lost}}) {
            ServerHistory.Position used =
                    new ServerHistory.Position(present.system(), known[0], present.markMillis() + known[1]);
            refused.add(present.isRefusedAfter(used));
            assertEquals(refused.get(refused.size() - 1), isRefusedByANode(used), used.toString());
        }
        assertEquals(List.of(false, true, false, true, true, true), refused);
        assertFalse(present.isRefusedAfter(new ServerHistory.Position(present.system() + 1, 3, 0)), "another system");
    }

    /** What a node does that finds the promoted server first, and then reads in ZooKeeper what the pair has used. */
    private static boolean isRefusedByANode(ServerHistory.Position used) {
        ServerHistory ofNode = new ServerHistory();
        try (DedicatedConnection first = connection(servers.replica(), ofNode)) {
            first.run(ServerHistoryTest::one);
        }
        ofNode.note(used, "node b");
        try (DedicatedConnection second = connection(servers.replica(), ofNode)) {
            second.run(ServerHistoryTest::one);
            return false;
        } catch (DatabaseUnavailableException e) {
            return true;
        }
    }

    /** What the primary's newest heartbeat is. */
    private long mark(long millis) throws SQLException {
        return Long.parseLong(servers.onPrimary("select setval('twinbell.history_mark', " + millis + ")"));
    }

    private DedicatedConnection connection(PGSimpleDataSource server) {
        return connection(server, history);
    }

    private static DedicatedConnection connection(PGSimpleDataSource server, ServerHistory history) {
        return new DedicatedConnection(
                new DatabaseSettings(
                        server.getUrl(),
                        server.getUser(),
                        server.getPassword(),
                        SchemaName.DEFAULT,
                        "a",
                        UUID.randomUUID(),
                        history),
                "test",
                3);
    }

    private static int port(Connection connection) throws SQLException {
        try (var statement = connection.createStatement();
                var row = statement.executeQuery("select inet_server_port()")) {
            row.next();
            return row.getInt(1);
        }
    }

    private static int one(Connection connection) throws SQLException {
        try (var statement = connection.createStatement();
                var row = statement.executeQuery("select 1")) {
            row.next();
            return row.getInt(1);
        }
    }
}
