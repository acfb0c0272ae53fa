package io.twinbell.persistence.database;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.persistence.testing.TestPostgres;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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
    void behind_a_pooler_with_its_default_settings_statements_set_the_options_of_a_session() throws Exception {
        for (String ignored : List.of("pool_mode = session", IGNORED)) {
            try (PgBouncer pooler = PgBouncer.before(database, folder, ignored);
                    DedicatedConnection connection = DedicatedConnection.byKey(pooler.settings(), "test", 3)) {
                assertEquals(
                        "2800ms 2500ms off pg_catalog 1",
                        connection.run(c -> settings(
                                c,
                                "statement_timeout",
                                "lock_timeout",
                                "enable_seqscan",
                                "search_path",
                                "tcp_keepalives_idle")));
                assertFalse(Migrations.migrate(pooler.settings().forMigrations())
                        .database()
                        .isEmpty());
            }
        }
    }

    @Test
    void a_pooler_that_shares_sessions_stops_a_node_and_its_other_clients_see_no_setting_of_the_node()
            throws Exception {
        for (String ignored : List.of("", IGNORED)) {
            try (PgBouncer pooler = PgBouncer.before(database, folder, "pool_mode = transaction", ignored);
                    DedicatedConnection connection = new DedicatedConnection(pooler.settings(), "test", 3)) {
                DatabaseUnavailableException e =
                        assertThrows(DatabaseUnavailableException.class, () -> connection.run(Connection::getCatalog));
                assertTrue(e.needsOperator());
                assertTrue(e.getMessage().endsWith(PoolerCheck.NEEDS_SESSIONS), e.getMessage());
                try (Connection other = pooler.settings().dataSource("other").getConnection()) {
                    assertEquals("\"$user\", public", settings(other, "search_path"));
                }
            }
        }
    }

    private static String settings(Connection c, String... names) throws SQLException {
        List<String> values = new ArrayList<>();
        try (PreparedStatement query = c.prepareStatement("select pg_catalog.current_setting(?)")) {
            for (String name : names) {
                query.setString(1, name);
                try (ResultSet row = query.executeQuery()) {
                    row.next();
                    values.add(row.getString(1));
                }
            }
        }
        return String.join(" ", values);
    }

    @Test
    void options_are_read_as_the_server_reads_them() throws Exception {
        assertEquals(
                Map.of("a_b", "read committed", "c", "x=y\\", "d", ""),
                StartupOptions.parsed("  -c a_b=read\\ committed -cc=x=y\\\\ --d= "));
        assertEquals(Map.of("work_mem", "8MB"), StartupOptions.parsed("-c work_mem=4MB --work-mem=8MB"));
        for (String unknown : List.of("-d 5", "-c", "-c =1", "-c name", "work_mem=4MB")) {
            SQLException e = assertThrows(SQLException.class, () -> StartupOptions.parsed(unknown));
            assertTrue(
                    e.getMessage().startsWith("database.url has the option \"" + unknown.split(" ")[0]),
                    e.getMessage());
        }
    }

    @Test
    void a_pooler_that_refuses_another_parameter_is_named_with_the_setting_to_change() {
        assertTrue(PoolerCheck.explained("FATAL: unsupported startup parameter: search_path")
                .contains("ignore_startup_parameters = options,search_path "));
        assertEquals("FATAL: no such database", PoolerCheck.explained("FATAL: no such database"));
    }

    @Test
    void without_a_pooler_nothing_is_found() {
        assertEquals(Optional.empty(), PoolerCheck.byTransaction(database));
    }

    @Test
    void a_login_that_the_server_refuses_is_called_so() {
        database.setDatabaseName("no_such_database");
        DatabaseUnavailableException refused =
                assertThrows(DatabaseUnavailableException.class, () -> PoolerCheck.byTransaction(database));
        assertTrue(refused.summary().startsWith("the database begins no session"), refused.summary());
    }
}
