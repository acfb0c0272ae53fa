package io.twinbell.persistence.takeover;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.persistence.database.DatabaseSettings;
import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.epoch.Claimant;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.epoch.EpochRegister;
import io.twinbell.persistence.epoch.JdbcEpochRegister;
import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestSettings;
import io.twinbell.persistence.testing.TestTasks;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** What owners record of themselves, on a real PostgreSQL. */
class JdbcOwnerRecordsTest {
    private final PGSimpleDataSource database = TestPostgres.freshDatabase();
    private final TestTasks tasks = new TestTasks(database);
    private final DatabaseSettings settings = TestSettings.of(database, "a");

    @AutoClose
    private final DedicatedConnection connection = new DedicatedConnection(settings, "takeover", 3);

    private final EpochRegister register = new JdbcEpochRegister(settings, connection);
    private final OwnerRecords records = new JdbcOwnerRecords(connection);

    private Epoch opened() {
        Claimant claimant = new Claimant("a", settings.incarnation(), 1, 2);
        return register.open(register.read().epoch(), claimant, "test").orElseThrow();
    }

    private OwnerLocation whereabouts(Epoch epoch) {
        return new OwnerLocation(
                epoch.number(),
                "a",
                settings.incarnation(),
                "http://127.0.0.1:8081",
                new OwnerLocation.LatchSession(Long.MIN_VALUE + 5, "00ff", 77),
                4711);
    }

    @Test
    void an_owner_is_found_where_it_has_recorded_itself() {
        Epoch epoch = opened();
        assertEquals(Optional.empty(), records.owner(), "it has not said where it is");
        assertTrue(records.record(epoch, whereabouts(epoch)));
        assertEquals(Optional.of(whereabouts(epoch)), records.owner());
    }

    @Test
    void a_superseded_owner_records_nothing() {
        Epoch old = opened();
        Epoch current = opened();
        assertTrue(records.record(current, whereabouts(current)));
        assertFalse(records.record(old, whereabouts(old)));
        assertEquals(Optional.of(whereabouts(current)), records.owner());
    }

    @Test
    void records_of_an_earlier_owner_do_not_count_for_its_successor() {
        Epoch old = opened();
        records.record(old, whereabouts(old));
        opened();
        assertEquals(Optional.empty(), records.owner());
    }

    @Test
    void an_owner_that_has_resigned_is_not_to_be_taken_over_from() {
        Epoch epoch = opened();
        records.record(epoch, whereabouts(epoch));
        register.resign(epoch, Duration.ofSeconds(30));
        assertEquals(Optional.empty(), records.owner());
        assertFalse(records.record(epoch, whereabouts(epoch)));
    }

    @Test
    void the_lock_is_held_by_the_session_that_has_it() {
        try (DedicatedConnection other = new DedicatedConnection(settings, "lock", 3)) {
            MasterLock lock = new JdbcMasterLock(other);
            lock.await(Duration.ofMillis(50));
            assertTrue(records.isLockHeldBy(lock.backend()));
            assertFalse(records.isLockHeldBy(lock.backend() + 1));
            int backend = lock.backend();
            lock.release();
            assertFalse(records.isLockHeldBy(backend));
        }
    }

    @Test
    void the_sessions_of_a_process_are_counted_while_they_are_open_and_tell_when_they_last_spoke() {
        DatabaseSettings dead = TestSettings.of(database, "b");
        try (DedicatedConnection one = new DedicatedConnection(dead, "one", 3);
                DedicatedConnection two = new DedicatedConnection(dead, "two", 3)) {
            OwnerSessions none = records.sessionsOf(dead.incarnation());
            assertEquals(new OwnerSessions(0, 0, none.seenMillis()), none);
            one.run(c -> c.isValid(1));
            long between = tasks.number("select twinbell.now_millis()");
            two.run(c -> c.createStatement().execute("select 1"));
            OwnerSessions both = records.sessionsOf(dead.incarnation());
            assertEquals(2, both.count());
            assertTrue(both.lastSpokeMillis() >= between, both + " after " + between);
            assertTrue(both.seenMillis() >= both.lastSpokeMillis(), both.toString());
            assertEquals(0, records.sessionsOf(UUID.randomUUID()).count());
        }
    }

    @Test
    void takeovers_of_owners_that_were_not_proven_dead_are_counted() {
        records.enterTakeover("b", 1, "LOST");
        records.enterTakeover("b", 2, "DEAD");
        records.enterTakeover("a", 3, "LOST");
        assertEquals(2, records.takeoversOfLost(Duration.ofMinutes(10)));
        tasks.execute("update twinbell.takeover set at = at - interval '11 minutes' where epoch = 1");
        assertEquals(1, records.takeoversOfLost(Duration.ofMinutes(10)));
    }

    @Test
    void old_takeovers_are_forgotten() {
        records.enterTakeover("b", 1, "LOST");
        tasks.execute("update twinbell.takeover set at = at - interval '31 days'");
        records.enterTakeover("b", 2, "LOST");
        assertEquals(1, tasks.number("select count(*) from twinbell.takeover"));
    }

    @Test
    void a_session_does_not_print_its_password() {
        assertFalse(new OwnerLocation.LatchSession(1, "5ec4e7", 2).toString().contains("5ec4e7"));
    }
}
