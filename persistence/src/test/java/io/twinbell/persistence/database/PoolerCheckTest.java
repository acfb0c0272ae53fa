package io.twinbell.persistence.database;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.persistence.testing.TestPostgres;
import java.nio.file.Path;
import java.sql.Connection;
import java.util.Optional;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.ds.PGSimpleDataSource;

class PoolerCheckTest {
    private static final String IGNORED = "ignore_startup_parameters = options";

    private final PGSimpleDataSource database = TestPostgres.emptyDatabase();

    @TempDir
    Path folder;

    @Test
    void a_pooler_that_gives_each_transaction_another_session_is_refused_before_anything_is_created() throws Exception {
        for (String mode : new String[] {"transaction", "statement"}) {
            try (PgBouncer pooler = PgBouncer.before(database, folder, "pool_mode = " + mode, IGNORED)) {
                DataSource source = pooler.settings().forMigrations();
                WrongSchemaException e = assertThrows(WrongSchemaException.class, () -> Migrations.migrate(source));
                assertEquals(PoolerCheck.NEEDS_SESSIONS, e.getMessage());
                assertEquals(Optional.of(PoolerCheck.NEEDS_SESSIONS), PoolerCheck.byTransaction(source));
            }
        }
        try (Connection c = database.getConnection()) {
            assertFalse(c.getMetaData().getSchemas(null, "twinbell").next(), "nothing is created");
        }
    }

    @Test
    void a_pooler_that_keeps_sessions_serves_the_node_without_its_options() throws Exception {
        try (PgBouncer pooler = PgBouncer.before(database, folder, "pool_mode = session", IGNORED)) {
            DataSource source = pooler.settings().forMigrations();
            assertEquals(Optional.empty(), PoolerCheck.byTransaction(source));
            assertFalse(Migrations.migrate(source).database().isEmpty());
        }
    }

    @Test
    void a_pooler_with_its_default_settings_is_named_with_the_one_to_change() throws Exception {
        try (PgBouncer pooler = PgBouncer.before(database, folder);
                DedicatedConnection connection = new DedicatedConnection(pooler.settings(), "test", 3)) {
            DatabaseUnavailableException e =
                    assertThrows(DatabaseUnavailableException.class, () -> connection.run(Connection::getCatalog));
            assertTrue(e.getMessage().contains("set ignore_startup_parameters = options"), e.getMessage());
            assertTrue(e.getMessage().contains("pool_mode = session in pgbouncer.ini"), e.getMessage());
        }
    }

    @Test
    void newer_poolers_that_read_options_name_the_one_that_they_refuse() {
        assertTrue(PoolerCheck.explained("FATAL: unsupported startup parameter in options: lock_timeout")
                .contains("ignore_startup_parameters = options,lock_timeout "));
        assertEquals("FATAL: no such database", PoolerCheck.explained("FATAL: no such database"));
    }

    @Test
    void without_a_pooler_nothing_is_found() {
        assertEquals(Optional.empty(), PoolerCheck.byTransaction(database));
    }
}
