package io.twinbell.persistence.database;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.persistence.testing.TestPostgres;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.PGConnection;
import org.postgresql.ds.PGSimpleDataSource;

/** A database that does not meet the requirements is refused before anything is created in it. */
class DatabaseRequirementsTest {
    private final String name =
            "wanting_" + UUID.randomUUID().toString().replace("-", "").substring(0, 12);
    private final PGSimpleDataSource admin = TestPostgres.emptyDatabase();

    @ParameterizedTest
    @ValueSource(strings = {"LATIN1", "SQL_ASCII", "EUC_JP", "WIN1252", "LATIN9", "KOI8R"})
    void a_database_of_another_encoding_stays_empty(String encoding) throws SQLException {
        TestPostgres.execute(
                admin,
                "create database " + name + " encoding '" + encoding
                        + "' lc_collate 'C' lc_ctype 'C' template template0");
        PGSimpleDataSource database = as(admin.getUser());
        database.setDatabaseName(name);
        refuses(
                database,
                "has the encoding " + encoding + ", but must have UTF8",
                "encoding 'UTF8' template template0");
        assertNull(one(database, "select to_regnamespace('twinbell')::text"));
    }

    @Test
    void a_schema_of_somebody_else_is_refused_and_its_owner_named() throws SQLException {
        role();
        TestPostgres.execute(admin, "create schema twinbell");
        refuses(as(name), "belongs to role " + admin.getUser(), "alter schema \"twinbell\" owner to " + name);
        TestPostgres.execute(admin, "grant all on schema twinbell to " + name);
        refuses(as(name), "belongs to role " + admin.getUser(), "alter schema \"twinbell\" owner to " + name);
        assertEquals("0", one(admin, "select count(*) from pg_class where relnamespace = 'twinbell'::regnamespace"));
    }

    @Test
    void a_role_that_may_create_nothing_is_refused() throws SQLException {
        role();
        refuses(as(name), "may not create a schema", "init-db");
    }

    @Test
    void tables_of_another_role_are_refused() throws SQLException {
        role();
        PGSimpleDataSource migrated = TestPostgres.freshDatabase();
        TestPostgres.execute(migrated, "alter schema twinbell owner to " + name);
        PGSimpleDataSource node = as(name);
        node.setDatabaseName(migrated.getDatabaseName());
        refuses(node, "twinbell.", "belongs to role " + admin.getUser());
    }

    @Test
    void a_role_that_holds_a_lock_does_not_make_the_engine_look_unfit() throws SQLException {
        try (Connection node = admin.getConnection();
                Connection other = admin.getConnection();
                Statement statement = other.createStatement()) {
            int session = node.unwrap(PGConnection.class).getBackendPID();
            statement.execute("select pg_advisory_lock(hashtextextended('twinbell/requirements', " + session + "))");
            assertEquals(List.of(), EngineRequirements.unmet(node));
        }
    }

    @Test
    void an_engine_whose_locks_and_notifications_are_stubs_is_refused() throws SQLException {
        TestPostgres.execute(
                admin,
                "create schema stub;"
                        + " create function stub.pg_try_advisory_xact_lock(bigint) returns boolean language sql as 'select true';"
                        + " create function stub.pg_notify(text, text) returns void language sql as ''");
        try (Connection connection = admin.getConnection();
                Statement statement = connection.createStatement()) {
            assertEquals(List.of(), EngineRequirements.unmet(connection));
            statement.execute("set search_path = stub, pg_catalog");
            assertEquals(
                    List.of("locks", "notifications"),
                    EngineRequirements.unmet(connection).stream()
                            .map(DatabaseRequirements.UnmetRequirement::check)
                            .toList());
        }
    }

    @Test
    void a_schema_with_objects_of_others_is_refused() {
        TestPostgres.execute(admin, "create schema twinbell; create table twinbell.invoice (id int)");
        refuses(admin, "did not create, such as invoice", "another database");
    }

    @Test
    void triggers_that_are_off_for_a_role_that_may_not_turn_them_on_are_refused() throws SQLException {
        role();
        TestPostgres.execute(admin, "create schema twinbell authorization " + name);
        TestPostgres.execute(admin, "alter role " + name + " set session_replication_role = replica");
        refuses(as(name), "session_replication_role = replica", "alter role");
        TestPostgres.execute(admin, "alter role " + name + " reset session_replication_role");
        TestPostgres.execute(admin, "alter role " + name + " set plpgsql.variable_conflict = use_column");
        refuses(as(name), "plpgsql.variable_conflict = use_column", "alter role");
    }

    @Test
    void a_role_that_acts_as_another_is_named_with_the_statement_that_ends_it() throws SQLException {
        role();
        String other = name + "_other";
        TestPostgres.execute(admin, "create role " + other + "; grant " + other + " to " + name);
        TestPostgres.execute(admin, "create schema twinbell authorization " + name);
        TestPostgres.execute(admin, "alter role " + name + " set role = '" + other + "'");
        refuses(
                as(name),
                "sessions of role " + name + " act as role " + other,
                "as a superuser: alter role " + name + " reset role, so that they act as " + name);
        TestPostgres.execute(admin, "alter role " + name + " reset role");
        String in = admin.getDatabaseName();
        TestPostgres.execute(admin, "alter role " + name + " in database " + in + " set role = '" + other + "'");
        refuses(as(name), "alter role " + name + " in database " + in + " reset role");
        TestPostgres.execute(admin, "alter role " + name + " in database " + in + " reset role");
        TestPostgres.execute(admin, "alter database " + in + " set role = '" + other + "'");
        refuses(as(name), "alter database " + in + " reset role");
        TestPostgres.execute(TestPostgres.emptyDatabase(), "alter database " + in + " reset role");
        Migrations.migrate(as(name));
    }

    @Test
    void a_role_that_acts_as_the_owner_of_the_schema_is_let_in() throws SQLException {
        role();
        String owner = name + "_owner";
        TestPostgres.execute(admin, "create role " + owner + "; grant " + owner + " to " + name);
        TestPostgres.execute(admin, "create schema twinbell authorization " + owner);
        TestPostgres.execute(admin, "alter role " + name + " set role = '" + owner + "'");
        Migrations.migrate(as(name));
        assertEquals(owner, one(admin, "select tableowner from pg_tables where tablename = 'task'"));
    }

    @Test
    void a_library_that_no_session_can_load_is_named_with_the_settings() throws SQLException {
        role();
        TestPostgres.execute(admin, "alter role " + name + " set session_preload_libraries = 'no_such_library'");
        PGSimpleDataSource database = as(name);
        DatabaseUnavailableException refused =
                assertThrows(DatabaseUnavailableException.class, () -> Migrations.migrate(database));
        assertTrue(refused.getMessage().contains("no_such_library"), refused.getMessage());
        assertTrue(refused.getMessage().contains("session_preload_libraries"), refused.getMessage());
        assertTrue(refused.needsOperator());
        assertTrue(refused.advice().orElseThrow().contains("alter role … reset"));
    }

    @Test
    void a_server_that_takes_no_writes_is_tried_again() throws SQLException {
        role();
        TestPostgres.execute(admin, "alter role " + name + " set default_transaction_read_only = on");
        SchemaBusyException busy = assertThrows(SchemaBusyException.class, () -> Migrations.migrate(as(name)));
        assertTrue(busy.getMessage().contains("default_transaction_read_only is on"), busy.getMessage());
    }

    /** An event trigger stands for whatever makes one of the migrations fail. */
    @Test
    void a_migration_that_fails_leaves_a_whole_version_and_says_which() throws SQLException {
        TestPostgres.execute(
                admin,
                "create function stop_at() returns event_trigger language plpgsql as $$ begin"
                        + " if to_regclass('twinbell.calendar') is not null then raise exception 'no more tables here'; end if; end $$");
        TestPostgres.execute(
                admin,
                "create event trigger stop_at on ddl_command_start when tag in ('CREATE TABLE') execute function stop_at()");
        WrongSchemaException failed = assertThrows(WrongSchemaException.class, () -> Migrations.migrate(admin));
        assertTrue(failed.getMessage().contains("no more tables here"), failed.getMessage());
        String version = one(
                admin,
                "select version from twinbell.flyway_schema_history where success order by installed_rank desc limit 1");
        assertTrue(failed.getMessage().contains("the schema keeps version " + version), failed.getMessage());
        TestPostgres.execute(admin, "drop event trigger stop_at");
        Migrations.migrate(admin);
    }

    private void role() {
        TestPostgres.execute(admin, "create role " + name + " login password '" + name + "'");
    }

    private PGSimpleDataSource as(String role) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setServerNames(admin.getServerNames());
        source.setPortNumbers(admin.getPortNumbers());
        source.setDatabaseName(admin.getDatabaseName());
        source.setUser(role);
        source.setPassword(role.equals(admin.getUser()) ? admin.getPassword() : role);
        return source;
    }

    private static void refuses(PGSimpleDataSource database, String... parts) {
        WrongSchemaException refusal = assertThrows(WrongSchemaException.class, () -> Migrations.migrate(database));
        for (String part : parts) {
            assertTrue(refusal.getMessage().contains(part), refusal.getMessage());
        }
    }

    private static String one(PGSimpleDataSource database, String query) throws SQLException {
        try (Connection connection = database.getConnection();
                var statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            row.next();
            return row.getString(1);
        }
    }
}
