package io.twinbell.persistence.database;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.persistence.testing.FreePort;
import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestSettings;
import io.twinbell.persistence.testing.TestTasks;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

class DedicatedConnectionTest {
    private final PGSimpleDataSource database = TestPostgres.freshDatabase();
    private final DatabaseSettings settings = TestSettings.of(database, "a");

    private static int one(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("select 1")) {
            row.next();
            return row.getInt(1);
        }
    }

    private void endItsSession() {
        new TestTasks(database)
                .query("select pg_terminate_backend(pid, 2000) from pg_stat_activity"
                        + " where datname = current_database() and application_name like '%/purpose/%'");
    }

    @Test
    void a_use_of_an_ended_session_fails_and_the_next_use_gets_a_new_one() {
        try (DedicatedConnection connection = new DedicatedConnection(settings, "purpose", 5)) {
            connection.run(DedicatedConnectionTest::one);
            endItsSession();
            assertThrows(DatabaseUnavailableException.class, () -> connection.run(DedicatedConnectionTest::one));
            assertEquals(1, connection.run(DedicatedConnectionTest::one));
        }
    }

    @Test
    void a_session_that_the_server_does_not_begin_is_an_outage_whatever_the_code_of_the_refusal() {
        String role = "uninvited_" + database.getDatabaseName();
        TestTasks owner = new TestTasks(database);
        owner.execute("create role " + role + " login");
        owner.execute("revoke connect on database " + database.getDatabaseName() + " from public");
        DatabaseSettings uninvited =
                new DatabaseSettings(settings.url(), role, settings.password(), "a", UUID.randomUUID());
        try (DedicatedConnection connection = new DedicatedConnection(uninvited, "purpose", 5)) {
            DatabaseUnavailableException refused = assertThrows(
                    DatabaseUnavailableException.class, () -> connection.run(DedicatedConnectionTest::one));
            assertTrue(refused.isOutage(), refused.getMessage());
            assertFalse(refused.isRefusal(), refused.getMessage());
            assertEquals("the database begins no session (the node's log says why)", refused.summary());
        } finally {
            owner.execute("grant connect on database " + database.getDatabaseName() + " to public");
            owner.execute("drop role " + role);
        }
    }

    @Test
    void a_server_that_refuses_connections_is_told_from_one_that_does_not_answer() throws Exception {
        DatabaseSettings nobody = new DatabaseSettings(
                "jdbc:postgresql://127.0.0.1:" + FreePort.take() + "/x", "x", "", "a", UUID.randomUUID());
        try (DedicatedConnection connection = new DedicatedConnection(nobody, "purpose", 5)) {
            DatabaseUnavailableException refused = assertThrows(
                    DatabaseUnavailableException.class, () -> connection.run(DedicatedConnectionTest::one));
            assertEquals("the database refuses connections", refused.summary());
        }
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String url = "jdbc:postgresql://127.0.0.1:" + silent.getLocalPort() + "/x?loginTimeout=1";
            DatabaseSettings hanging = new DatabaseSettings(url, "x", "", "a", UUID.randomUUID());
            try (DedicatedConnection connection = new DedicatedConnection(hanging, "purpose", 1)) {
                DatabaseUnavailableException hangs = assertThrows(
                        DatabaseUnavailableException.class, () -> connection.run(DedicatedConnectionTest::one));
                assertEquals("the database does not answer", hangs.summary());
            }
        }
    }

    @Test
    void one_that_is_checked_before_use_has_another_session_at_once() {
        try (DedicatedConnection connection = DedicatedConnection.checkedBeforeUse(settings, "purpose", 5)) {
            connection.run(DedicatedConnectionTest::one);
            endItsSession();
            assertEquals(1, connection.run(DedicatedConnectionTest::one));
            endItsSession();
            assertEquals(1, connection.transaction(DedicatedConnectionTest::one));
        }
    }

    @Test
    void a_broken_transaction_never_stays_open_for_the_next() {
        TestTasks onlooker = new TestTasks(database);
        onlooker.execute("create table public.seen (what text)");
        try (DedicatedConnection connection = new DedicatedConnection(settings, "purpose", 5)) {
            assertThrows(
                    OutOfMemoryError.class,
                    () -> connection.transaction(c -> {
                        one(c);
                        throw new OutOfMemoryError("not really");
                    }));
            connection.run(c -> c.createStatement().executeUpdate("insert into public.seen values ('it')"));
            assertEquals(1, onlooker.number("select count(*) from public.seen"));
        }
    }

    @Test
    void a_statement_that_nobody_waits_for_any_more_does_not_go_on_in_the_server() {
        TestTasks onlooker = new TestTasks(database);
        try (DedicatedConnection connection = new DedicatedConnection(settings, "purpose", 1)) {
            assertThrows(
                    DatabaseUnavailableException.class,
                    () -> connection.run(c -> c.createStatement().execute("select pg_sleep(3600)")));
            await().until(() ->
                    onlooker.number("select count(*) from pg_stat_activity where query like '%pg_sleep(3600)%'"
                                    + " and state = 'active' and pid <> pg_backend_pid()")
                            == 0);
        }
    }

    @Test
    void waiting_for_an_answer_ends_when_none_is_expected_any_more() {
        try (DedicatedConnection connection = new DedicatedConnection(settings, "purpose", 60)) {
            CompletableFuture<Integer> waiting = CompletableFuture.supplyAsync(() -> connection.run(c -> {
                try (Statement statement = c.createStatement()) {
                    statement.execute("select pg_sleep(60)");
                    return 1;
                }
            }));
            TestTasks onlooker = new TestTasks(database);
            await().until(() ->
                    onlooker.number("select count(*) from pg_stat_activity where query like '%pg_sleep(60)%'"
                                    + " and state = 'active' and pid <> pg_backend_pid()")
                            == 1);
            connection.breakOff();
            ExecutionException told = assertThrows(ExecutionException.class, () -> waiting.get(30, TimeUnit.SECONDS));
            assertEquals(DatabaseUnavailableException.class, told.getCause().getClass());
            assertEquals(1, connection.run(DedicatedConnectionTest::one), "the next one has a session of its own");
        }
    }

    @Test
    void a_statement_ends_with_the_process_that_sent_it_whatever_it_waits_for() throws SQLException {
        TestTasks onlooker = new TestTasks(database);
        try (Connection holder = database.getConnection();
                Statement held = holder.createStatement();
                DedicatedConnection connection = new DedicatedConnection(settings, "purpose", 60)) {
            held.execute("select pg_advisory_lock(1)");
            CompletableFuture<Integer> waiting = CompletableFuture.supplyAsync(() -> connection.run(c -> {
                try (Statement statement = c.createStatement()) {
                    // Longer than the session would wait for it otherwise.
                    statement.execute("set lock_timeout = 0");
                    statement.execute("select pg_advisory_lock(1)");
                    return 1;
                }
            }));
            String waits = "select count(*) from pg_stat_activity where datname = current_database()"
                    + " and application_name like '%/purpose/%' and wait_event_type = 'Lock'";
            await().until(() -> onlooker.number(waits) == 1);
            connection.breakOff();
            assertThrows(ExecutionException.class, () -> waiting.get(30, TimeUnit.SECONDS));
            await().until(() -> onlooker.number(waits) == 0);
        }
    }
}
