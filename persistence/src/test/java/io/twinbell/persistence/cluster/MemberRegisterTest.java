package io.twinbell.persistence.cluster;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.persistence.database.DatabaseSettings;
import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestSettings;
import io.twinbell.persistence.testing.TestTasks;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

class MemberRegisterTest {
    private final PGSimpleDataSource database = TestPostgres.freshDatabase();

    @Test
    void the_database_is_born_with_a_key_and_keeps_it() {
        try (DedicatedConnection connection = connection(TestSettings.of(database, "a"))) {
            MemberRegister register = new MemberRegister(connection);
            assertEquals(register.read().entryKey(), register.read().entryKey());
            assertTrue(register.read().entryKey().length() > 64);
            assertFalse(register.read().toString().contains(register.read().entryKey()));
        }
    }

    @Test
    void the_sessions_of_the_latest_owner_are_known() {
        try (DedicatedConnection connection = connection(TestSettings.of(database, "a"))) {
            MemberRegister register = new MemberRegister(connection);
            assertEquals(Set.of(), register.read().ownerSessions());
            new TestTasks(database).execute("update twinbell.epoch set epoch = 7, opened_at = now(), zk_session = 1");
            new TestTasks(database).execute("update twinbell.whereabouts set epoch = 7, zk_session = 2");
            assertEquals(Set.of(1L, 2L), register.read().ownerSessions());
            new TestTasks(database).execute("update twinbell.epoch set epoch = 8, opened_at = now(), zk_session = 3");
            assertEquals(Set.of(3L), register.read().ownerSessions(), "where an older owner was is of no use");
        }
    }

    @Test
    void a_process_with_sessions_is_of_an_earlier_build_until_it_joins() {
        DatabaseSettings settings = TestSettings.of(database, "a%");
        try (DedicatedConnection connection = connection(settings)) {
            MemberRegister register = new MemberRegister(connection);
            assertTrue(register.isOfAnEarlierBuild("a%", settings.incarnation()));
            assertFalse(register.isOfAnEarlierBuild("b", settings.incarnation()));
            assertFalse(register.isOfAnEarlierBuild("a%", UUID.randomUUID()));
            register.join("a%", UUID.randomUUID(), at("1/1"));
            assertTrue(register.isOfAnEarlierBuild("a%", settings.incarnation()), "another process joined");
            register.join("a%", settings.incarnation(), at("1/1"));
            assertFalse(register.isOfAnEarlierBuild("a%", settings.incarnation()));
        }
    }

    @Test
    void a_node_waits_for_another_that_runs_and_takes_part_elsewhere() {
        try (DedicatedConnection a = connection(TestSettings.of(database, "a"));
                DedicatedConnection b = connection(TestSettings.of(database, "b"))) {
            MemberRegister register = new MemberRegister(a);
            assertTrue(new JdbcNodeLock(a, "a").hold());
            assertTrue(new JdbcNodeLock(b, "b").hold());
            assertEquals(Optional.empty(), register.join("a", UUID.randomUUID(), at("1/1")));
            Optional<MemberRegister.Elsewhere> other = Optional.of(new MemberRegister.Elsewhere("a", "zk:2181/1/1"));
            assertEquals(other, register.join("b", UUID.randomUUID(), at("2/2")));
            assertEquals(List.of(new MemberRegister.Elsewhere("b", "zk:2181/2/2")), register.waiting());
            assertEquals(
                    Optional.empty(),
                    register.join("a", UUID.randomUUID(), at("1/1")),
                    "a node that waits keeps no other from taking part");
            assertEquals(
                    Optional.empty(), register.join("b", UUID.randomUUID(), at("1/1")), "it shares the folder now");
            assertEquals(List.of(), register.waiting());
        }
    }

    @Test
    void a_node_waits_for_none_that_has_ended_or_that_it_sees() {
        try (DedicatedConnection b = connection(TestSettings.of(database, "b"))) {
            MemberRegister register = new MemberRegister(b);
            try (DedicatedConnection a = connection(TestSettings.of(database, "a"))) {
                assertTrue(new JdbcNodeLock(a, "a").hold());
                register.join("a", UUID.randomUUID(), at("1/1"));
                assertEquals(
                        Optional.empty(),
                        register.join("b", UUID.randomUUID(), new MemberRegister.Ensemble("2/2", "zk", Set.of("a"))),
                        "the folder was deleted and created again, and both use it");
                register.join("a", UUID.randomUUID(), at("2/2"));
                assertTrue(register.join("b", UUID.randomUUID(), at("3/3")).isPresent());
            }
            await().until(() -> register.join("b", UUID.randomUUID(), at("3/3")).isEmpty());
        }
    }

    private static MemberRegister.Ensemble at(String mark) {
        return new MemberRegister.Ensemble(mark, "zk:2181/" + mark, Set.of());
    }

    private static DedicatedConnection connection(DatabaseSettings settings) {
        return new DedicatedConnection(settings, "epoch", 5);
    }
}
