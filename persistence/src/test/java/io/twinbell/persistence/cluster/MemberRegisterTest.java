package io.twinbell.persistence.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.persistence.database.DatabaseSettings;
import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestSettings;
import io.twinbell.persistence.testing.TestTasks;
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
            register.join("a%", UUID.randomUUID());
            assertTrue(register.isOfAnEarlierBuild("a%", settings.incarnation()), "another process joined");
            register.join("a%", settings.incarnation());
            assertFalse(register.isOfAnEarlierBuild("a%", settings.incarnation()));
        }
    }

    private static DedicatedConnection connection(DatabaseSettings settings) {
        return new DedicatedConnection(settings, "epoch", 5);
    }
}
