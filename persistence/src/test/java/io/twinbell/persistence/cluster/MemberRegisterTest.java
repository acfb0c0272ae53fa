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
    void a_node_waits_for_another_that_runs_and_takes_part_elsewhere() {
        try (DedicatedConnection a = connection(TestSettings.of(database, "a"));
                DedicatedConnection b = connection(TestSettings.of(database, "b"))) {
            MemberRegister register = new MemberRegister(a);
            assertTrue(new JdbcNodeLock(a, "a").acquire());
            assertTrue(new JdbcNodeLock(b, "b").acquire());
            assertEquals(Optional.empty(), register.join(at("a", "1/1"), UUID.randomUUID()));
            Optional<MemberRegister.ForeignEnsembleNode> other =
                    Optional.of(new MemberRegister.ForeignEnsembleNode("a", "zk:2181/1/1"));
            assertEquals(other, register.join(at("b", "2/2"), UUID.randomUUID()));
            assertEquals(List.of(new MemberRegister.ForeignEnsembleNode("b", "zk:2181/2/2")), register.waiting());
            assertEquals(
                    Optional.empty(),
                    register.join(at("a", "1/1"), UUID.randomUUID()),
                    "a node that waits keeps no other from taking part");
            assertEquals(
                    Optional.empty(), register.join(at("b", "1/1"), UUID.randomUUID()), "it shares the folder now");
            assertEquals(List.of(), register.waiting());
        }
    }

    @Test
    void a_node_waits_for_none_that_has_ended_or_that_it_sees() {
        try (DedicatedConnection b = connection(TestSettings.of(database, "b"))) {
            MemberRegister register = new MemberRegister(b);
            try (DedicatedConnection a = connection(TestSettings.of(database, "a"))) {
                assertTrue(new JdbcNodeLock(a, "a").acquire());
                register.join(at("a", "1/1"), UUID.randomUUID());
                assertEquals(
                        Optional.empty(),
                        register.join(
                                new MemberRegister.MemberAddress(
                                        "b", "", new MemberRegister.Ensemble("2/2", "zk", Set.of("a"))),
                                UUID.randomUUID()),
                        "the folder was deleted and created again, and both use it");
                register.join(at("a", "2/2"), UUID.randomUUID());
                assertTrue(register.join(at("b", "3/3"), UUID.randomUUID()).isPresent());
            }
            await().until(() -> register.join(at("b", "3/3"), UUID.randomUUID()).isEmpty());
        }
    }

    @Test
    void a_copy_is_told_from_a_pair_whose_ensemble_was_built_anew() {
        try (DedicatedConnection connection = connection(TestSettings.of(database, "a"))) {
            MemberRegister register = new MemberRegister(connection);
            MemberRegister.MemberAddress original = place("a", "http://10.0.0.1:8080", "1/1", "zk1:2181");
            assertEquals(Optional.empty(), register.cameFrom(original), "no node has joined yet");
            register.join(original, UUID.randomUUID());
            assertEquals(Optional.empty(), register.cameFrom(place("b", "http://10.0.0.2:8080", "1/1", "zk2:2181")));
            assertEquals(
                    Optional.empty(),
                    register.cameFrom(place("a", "http://10.0.0.1:8080", "2/2", "zk1:2181")),
                    "the ensemble was built anew");
            for (MemberRegister.MemberAddress copy : List.of(
                    place("a", "http://10.0.0.9:8080", "2/2", "zk1:2181"),
                    place("a", "http://10.0.0.1:8080", "2/2", "zk9:2181"),
                    place("c", "http://10.0.0.1:8080", "2/2", "zk1:2181"))) {
                assertEquals(
                        Optional.of("node a at http://10.0.0.1:8080 took part in the election at zk1:2181"),
                        register.cameFrom(copy));
            }
        }
    }

    private static MemberRegister.MemberAddress place(String node, String url, String mark, String connect) {
        return new MemberRegister.MemberAddress(node, url, new MemberRegister.Ensemble(mark, connect, Set.of()));
    }

    @Test
    void a_join_forgets_nodes_of_its_election_that_joined_long_ago_and_do_not_run() {
        DatabaseSettings running = TestSettings.of(database, "runs");
        try (DedicatedConnection connection = connection(TestSettings.of(database, "a"));
                DedicatedConnection lock = connection(running)) {
            MemberRegister register = new MemberRegister(connection);
            for (String node : List.of("runs", "gone", "recent")) {
                register.join(at(node, "1/1"), UUID.randomUUID());
            }
            register.join(at("elsewhere", "2/2"), UUID.randomUUID());
            assertTrue(new JdbcNodeLock(lock, "runs").acquire());
            TestTasks tasks = new TestTasks(database);
            tasks.execute("update twinbell.member set joined_at = now() - interval '31 days' where node <> 'recent'");
            register.join(at("a", "1/1"), UUID.randomUUID());
            tasks.assertRows("select node from twinbell.member order by node", "a", "elsewhere", "recent", "runs");
        }
    }

    private static MemberRegister.MemberAddress at(String node, String mark) {
        return new MemberRegister.MemberAddress(
                node, "", new MemberRegister.Ensemble(mark, "zk:2181/" + mark, Set.of()));
    }

    private static DedicatedConnection connection(DatabaseSettings settings) {
        return new DedicatedConnection(settings, "epoch", 5);
    }
}
