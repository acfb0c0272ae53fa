package io.twinbell.persistence.cluster;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.persistence.database.DatabaseSettings;
import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestSettings;
import io.twinbell.persistence.testing.TestTasks;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

class NodeLockTest {
    private final PGSimpleDataSource database = TestPostgres.freshDatabase();

    @Test
    void one_process_holds_a_node_id_until_its_session_ends() {
        try (DedicatedConnection first = connection("one");
                DedicatedConnection second = connection("two")) {
            assertTrue(new JdbcNodeLock(first, "a").acquire());
            NodeLock late = new JdbcNodeLock(second, "a");
            assertFalse(late.acquire());
            assertTrue(late.holder().contains("/node-lock/one"), late.holder());
            endSession("one");
            await().until(late::acquire);
        }
    }

    @Test
    void holding_twice_does_not_count_the_lock_twice() {
        try (DedicatedConnection connection = connection("one")) {
            NodeLock lock = new JdbcNodeLock(connection, "a");
            lock.acquire();
            lock.acquire();
            assertEquals(
                    1,
                    new TestTasks(database)
                            .number(
                                    "select count(*) from pg_locks where locktype = 'advisory'"
                                            + " and database = (select oid from pg_database where datname = current_database())"));
        }
    }

    @Test
    void a_process_does_not_take_its_own_former_session_for_another_process() {
        DatabaseSettings process = TestSettings.of(database, "one");
        try (DedicatedConnection broken = new DedicatedConnection(process, "node-lock", 5);
                DedicatedConnection next = new DedicatedConnection(process, "node-lock", 5)) {
            assertTrue(new JdbcNodeLock(broken, "a").acquire());
            assertTrue(new JdbcNodeLock(next, "a").acquire());
        }
    }

    @Test
    void a_lock_whose_session_was_ended_is_taken_again() {
        try (DedicatedConnection connection = connection("one")) {
            NodeLock lock = new JdbcNodeLock(connection, "a");
            lock.acquire();
            new TestTasks(database)
                    .query("select pg_terminate_backend(pid, 2000) from pg_stat_activity"
                            + " where datname = current_database() and application_name like '%/node-lock/%'");
            assertThrows(RuntimeException.class, lock::acquire, "the loss is noticed");
            assertTrue(lock.acquire());
        }
    }

    @Test
    void a_database_serves_one_cluster() {
        try (DedicatedConnection connection = connection("one")) {
            ClusterRegister register = new ClusterRegister(connection);
            assertEquals(register.check("green"), register.check("blue"), "a check stores no name");
            assertEquals(register.join("blue"), register.check("blue"));
            assertThrows(WrongClusterException.class, () -> register.check("green"));
            WrongClusterException refusal = assertThrows(WrongClusterException.class, () -> register.join("green"));
            assertTrue(refusal.getMessage().contains("blue")
                    && refusal.getMessage().contains("green"));
        }
    }

    @Test
    void a_holder_of_the_same_node_id_in_another_database_is_neither_blamed_nor_ended() {
        PGSimpleDataSource elsewhere = TestPostgres.freshDatabase();
        DatabaseSettings process = TestSettings.of(elsewhere, "one");
        DatabaseSettings twin = new DatabaseSettings(
                database.getURL(), database.getUser(), database.getPassword(), "one", process.incarnation());
        try (DedicatedConnection other = new DedicatedConnection(process, "node-lock", 5);
                DedicatedConnection holder = connection("holder");
                DedicatedConnection late = new DedicatedConnection(twin, "node-lock", 5)) {
            NodeLock others = new JdbcNodeLock(other, "a");
            assertTrue(others.acquire());
            NodeLock lock = new JdbcNodeLock(late, "a");
            assertEquals("a session that has just ended", lock.holder());
            assertTrue(new JdbcNodeLock(holder, "a").acquire());
            assertFalse(lock.acquire());
            assertTrue(lock.holder().contains("/node-lock/holder"), lock.holder());
            assertTrue(others.acquire(), "its session was not ended");
        }
    }

    @Test
    void a_role_that_is_no_node_cannot_withhold_a_node_id() throws SQLException {
        TestTasks superuser = new TestTasks(database);
        superuser.execute("drop role if exists lock_stranger; create role lock_stranger login password 'x'");
        PGSimpleDataSource stranger = TestSettings.of(database, "one").dataSource("node-lock");
        stranger.setUser("lock_stranger");
        stranger.setPassword("x");
        try (Connection session = stranger.getConnection();
                Statement statement = session.createStatement();
                DedicatedConnection first = connection("one");
                DedicatedConnection second = connection("one")) {
            statement.execute("select pg_advisory_lock(hashtextextended('twinbell.node/a', 0))");
            NodeLock running = new JdbcNodeLock(first, "a");
            assertTrue(running.acquire());
            NodeLock late = new JdbcNodeLock(second, "a");
            assertFalse(late.acquire(), "another process has the id");
            assertTrue(running.acquire(), "it is not disturbed");
            assertTrue(late.holder().contains("of role lock_stranger"), late.holder());
        }
    }

    private void endSession(String node) {
        new TestTasks(database)
                .query(
                        "select pg_terminate_backend(pid, 2000) from pg_stat_activity"
                                + " where datname = current_database() and application_name like ?",
                        "%/node-lock/" + node);
    }

    private DedicatedConnection connection(String node) {
        return new DedicatedConnection(TestSettings.of(database, node), "node-lock", 5);
    }
}
