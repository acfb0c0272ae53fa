package io.twinbell.persistence.takeover;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.persistence.database.DatabaseSettings;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestSettings;
import io.twinbell.persistence.testing.TestTasks;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** The master's lock on a real PostgreSQL. */
class JdbcMasterLockTest {
    private static final Duration SLICE = Duration.ofMillis(50);

    private final PGSimpleDataSource database = TestPostgres.freshDatabase();
    private final TestTasks tasks = new TestTasks(database);
    private final Deque<AutoCloseable> opened = new ArrayDeque<>();
    private final DedicatedConnection connectionOfA = connection(TestSettings.of(database, "a"));
    private final MasterLock a = new JdbcMasterLock(connectionOfA);
    private final MasterLock b = new JdbcMasterLock(connection(TestSettings.of(database, "b")));

    private DedicatedConnection connection(DatabaseSettings settings) {
        DedicatedConnection connection = new DedicatedConnection(settings, "lock", 3);
        opened.push(connection);
        return connection;
    }

    @AfterEach
    void close() throws Exception {
        while (!opened.isEmpty()) {
            opened.pop().close();
        }
    }

    @Test
    void one_session_has_the_lock_and_another_waits_a_slice_in_vain() {
        long before = now();
        OptionalLong had = a.await(SLICE);
        assertTrue(had.isPresent() && had.getAsLong() >= before && had.getAsLong() <= now(), had + " by this clock");
        assertEquals(OptionalLong.empty(), b.await(SLICE));
        assertTrue(a.isHeld());
        assertFalse(b.isHeld());
    }

    @Test
    void a_waiting_node_gets_the_lock_as_soon_as_the_holders_session_ends() throws Exception {
        a.await(SLICE);
        CompletableFuture<OptionalLong> waiting = CompletableFuture.supplyAsync(() -> b.await(Duration.ofSeconds(2)));
        await().until(() -> tasks.number("select count(*) from pg_stat_activity where wait_event = 'advisory'") == 1);
        end(a.backend());
        assertTrue(waiting.get().isPresent());
        assertTrue(b.isHeld());
    }

    @Test
    void a_lock_that_is_awaited_twice_is_free_after_one_release() {
        OptionalLong first = a.await(SLICE);
        assertEquals(first, a.await(SLICE), "it was had at the same instant");
        a.release();
        assertFalse(a.isHeld());
        assertTrue(b.await(SLICE).isPresent());
    }

    @Test
    void a_lock_that_was_counted_twice_behind_its_holders_back_is_free_after_one_release_too() {
        a.await(SLICE);
        connectionOfA.run(c -> execute(c, "select pg_advisory_lock(twinbell.master_lock_key())"));
        a.release();
        await("the session was given up").until(() -> b.await(SLICE).isPresent());
    }

    @Test
    void a_session_that_was_ended_has_lost_the_lock_and_may_have_it_again() {
        a.await(SLICE);
        int lost = a.backend();
        end(lost);
        assertThrows(DatabaseUnavailableException.class, a::isHeld, "the loss is noticed");
        assertFalse(a.isHeld());
        assertTrue(a.await(SLICE).isPresent());
        assertTrue(a.isHeld());
    }

    @Test
    void a_lock_that_somebody_else_let_go_of_is_not_taken_for_held() {
        a.await(SLICE);
        connectionOfA.run(c -> execute(c, "select pg_advisory_unlock_all()"));
        assertFalse(a.isHeld());
        assertTrue(a.await(SLICE).isPresent(), "and may be taken anew");
        assertTrue(a.isHeld());
    }

    @Test
    void neither_holding_nor_waiting_keeps_a_transaction_open() {
        a.await(SLICE);
        b.await(SLICE);
        assertEquals(
                0,
                tasks.number("select count(*) from pg_stat_activity where application_name like '%/lock/%'"
                        + " and (backend_xmin is not null or state <> 'idle')"));
    }

    @Test
    void a_direct_connection_is_fit_and_the_server_watches_it_closely() {
        assertEquals(Optional.empty(), a.unfit());
        assertEquals("1 1 2000", connectionOfA.run(c -> {
            try (var statement = c.createStatement();
                    var row = statement.executeQuery("select current_setting('tcp_keepalives_idle') || ' '"
                            + " || current_setting('tcp_keepalives_interval') || ' '"
                            + " || current_setting('tcp_user_timeout')")) {
                row.next();
                return row.getString(1);
            }
        }));
    }

    @Test
    void a_pooler_is_found_out() throws Exception {
        RenumberingPooler pooler = new RenumberingPooler(database.getPortNumbers()[0]);
        opened.push(pooler);
        String url = "jdbc:postgresql://127.0.0.1:" + pooler.port() + "/" + database.getDatabaseName()
                + "?gssEncMode=disable&sslmode=disable";
        MasterLock pooled = new JdbcMasterLock(connection(
                new DatabaseSettings(url, database.getUser(), database.getPassword(), "a", UUID.randomUUID())));
        String reason = pooled.unfit().orElseThrow();
        assertTrue(reason.contains("points to a pooler"), reason);
    }

    @Test
    void a_server_that_ignores_the_sessions_options_is_found_out() {
        connectionOfA.run(c -> execute(c, "set tcp_keepalives_idle = 77"));
        String reason = a.unfit().orElseThrow();
        assertTrue(reason.contains("options do not reach the server (tcp_keepalives_idle is 77)"), reason);
    }

    @Test
    void a_session_of_twinbell_that_will_not_let_go_is_ended_and_nobody_elses() throws Exception {
        a.await(SLICE);
        assertEquals(Optional.empty(), b.evict());
        await().until(() -> b.await(SLICE).isPresent());
        b.release();
        try (Connection stranger = database.getConnection()) {
            execute(stranger, "set application_name = 'billing'");
            execute(stranger, "select pg_advisory_lock(twinbell.master_lock_key())");
            assertTrue(b.evict().orElseThrow().startsWith("billing (process "));
            assertEquals(OptionalLong.empty(), b.await(SLICE));
        }
    }

    private void end(int backend) {
        tasks.query("select pg_terminate_backend(" + backend + ", 2000)");
    }

    private long now() {
        return tasks.number("select twinbell.now_millis()");
    }

    private static Void execute(Connection c, String sql) throws SQLException {
        try (var statement = c.createStatement()) {
            statement.execute(sql);
            return null;
        }
    }
}
