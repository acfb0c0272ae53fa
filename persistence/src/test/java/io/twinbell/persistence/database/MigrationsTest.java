package io.twinbell.persistence.database;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestTasks;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

class MigrationsTest {
    private static final PGSimpleDataSource MIGRATED = TestPostgres.emptyDatabase();

    private static SchemaVersion schema;

    @BeforeAll
    static void migrate() {
        assertEquals(Optional.empty(), complete(MIGRATED));
        schema = Migrations.migrate(MIGRATED);
    }

    @Test
    void migrating_twice_changes_nothing() {
        assertEquals(Integer.toString(schema.known()), schema.database());
        assertEquals(schema, Migrations.migrate(MIGRATED));
    }

    private static Optional<SchemaVersion> complete(PGSimpleDataSource database) {
        return AppliedMigrations.ofThisBuild(MigrationsTest.class.getClassLoader())
                .complete(database);
    }

    @Test
    void a_complete_schema_is_recognized_without_flyway_and_any_other_is_not() {
        assertEquals(Optional.of(schema), complete(MIGRATED));
        assertEquals(Migrations.newest(SchemaName.DEFAULT, MIGRATED), schema.known());
        String newest = " where version = '" + schema.known() + "'";
        for (String change : List.of(
                "update twinbell.flyway_schema_history set checksum = checksum + 1 where version = '1'",
                "update twinbell.flyway_schema_history set success = false" + newest,
                "update twinbell.flyway_schema_history set script = 'V1__x.sql'" + newest,
                "delete from twinbell.flyway_schema_history" + newest,
                "insert into twinbell.flyway_schema_history values"
                        + " (99, '999', 'from the future', 'SQL', 'V999__x.sql', 1, 'x', now(), 1, true)")) {
            PGSimpleDataSource changed = TestPostgres.freshDatabase();
            TestPostgres.execute(changed, change);
            assertEquals(Optional.empty(), complete(changed), change);
        }
    }

    @Test
    void a_schema_of_a_newer_build_is_used_as_it_is_if_it_says_that_older_builds_may() {
        PGSimpleDataSource database = migratedByNewerBuild();
        SchemaVersion version = Migrations.migrate(database);
        assertEquals("999", version.database());
        assertTrue(version.known() < 999);
        version.refuseIfOlderThan(version.known());
        assertThrows(WrongSchemaException.class, () -> version.refuseIfOlderThan(version.known() + 1));
    }

    @Test
    void a_schema_that_has_outgrown_this_build_is_refused_and_what_it_wants_is_named() {
        PGSimpleDataSource database = migratedByNewerBuild();
        TestPostgres.execute(database, "update twinbell.cluster set oldest_build = 998");
        WrongSchemaException refusal = assertThrows(WrongSchemaException.class, () -> Migrations.migrate(database));
        assertTrue(
                refusal.getMessage().contains("know its version 998, but this build knows only version "),
                refusal.getMessage());
    }

    @Test
    void a_migration_gives_way_to_who_has_the_table_and_can_be_tried_again() throws SQLException {
        PGSimpleDataSource database = TestPostgres.emptyDatabase();
        Flyway.configure()
                .dataSource(database)
                .schemas("twinbell")
                .locations(Migrations.LOCATION)
                .target("5")
                .load()
                .migrate();
        try (Connection other = database.getConnection();
                var statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.execute("lock table twinbell.cluster in share row exclusive mode");
            assertThrows(SchemaBusyException.class, () -> Migrations.migrate(database));
            other.rollback();
        }
        Migrations.migrate(database);
    }

    /** The test class path has migrations and a callback of an application in the place where Flyway looks by default. */
    @Test
    void the_migrations_of_an_application_are_not_run() {
        for (String foreign : List.of("V1__customer.sql", "V100__invoice.sql", "afterMigrate.sql")) {
            assertNotNull(getClass().getResource("/db/migration/" + foreign), foreign);
        }
        assertEquals(
                0,
                new TestTasks(MIGRATED)
                        .number(
                                "select count(*) from pg_class where relname in ('customer', 'invoice', 'after_migrate')"));
    }

    @Test
    void the_migrations_are_found_whatever_class_loader_the_thread_has() {
        PGSimpleDataSource database = TestPostgres.emptyDatabase();
        ClassLoader usual = Thread.currentThread().getContextClassLoader();
        Thread.currentThread().setContextClassLoader(ClassLoader.getPlatformClassLoader());
        try {
            assertTrue(Migrations.migrate(database).known() > 1);
        } finally {
            Thread.currentThread().setContextClassLoader(usual);
        }
    }

    private static PGSimpleDataSource migratedByNewerBuild() {
        PGSimpleDataSource database = TestPostgres.freshDatabase();
        TestPostgres.execute(
                database,
                "insert into twinbell.flyway_schema_history values"
                        + " (99, '999', 'from the future', 'SQL', 'V999__x.sql', 1, 'x', now(), 1, true)");
        return database;
    }

    @Test
    void a_migration_may_take_longer_than_any_other_statement() {
        PGSimpleDataSource database = TestPostgres.emptyDatabase();
        TestPostgres.execute(database, """
                do $$ begin
                    execute format('alter database %I set idle_in_transaction_session_timeout = 300', current_database());
                    execute format('alter database %I set statement_timeout = 300', current_database());
                end $$;
                create sequence changes;
                create function slow_down() returns event_trigger language plpgsql as $$ begin
                    if nextval('public.changes') in (3, 13) then perform pg_sleep(0.5); end if;
                end $$;
                create event trigger slow_down on ddl_command_start
                    when tag in ('CREATE TABLE') execute function slow_down();
                """);
        DatabaseSettings settings = new DatabaseSettings(
                database.getURL(), database.getUser(), database.getPassword(), "a", UUID.randomUUID());
        assertThrows(RuntimeException.class, () -> Migrations.migrate(settings.dataSource("impatient")));
        SchemaVersion version = Migrations.migrate(settings.forMigrations());
        assertEquals(Integer.toString(version.known()), version.database());
        assertTrue(new TestTasks(database).number("select last_value from changes") > 13);
    }

    @Test
    void a_schema_that_other_files_made_is_refused_and_what_to_do_is_said() {
        for (String change : List.of(
                "update twinbell.flyway_schema_history set checksum = checksum + 1 where version = '1'",
                // As snapshots of 0.1.0 did, which had 83 migrations.
                "update twinbell.flyway_schema_history set script = 'V3__calendars.sql', description = 'calendars'"
                        + " where version = '3'; insert into twinbell.flyway_schema_history values"
                        + " (90, '92', 'chain grants', 'SQL', 'V92__chain_grants.sql', 1, 'x', now(), 1, true);"
                        + " update twinbell.cluster set oldest_build = 15")) {
            PGSimpleDataSource database = TestPostgres.freshDatabase();
            TestPostgres.execute(database, change);
            WrongSchemaException refusal = assertThrows(WrongSchemaException.class, () -> Migrations.migrate(database));
            assertTrue(
                    refusal.getMessage().contains("drop the schema twinbell, or use an empty database"),
                    refusal.getMessage());
        }
    }

    @Test
    void the_ledger_has_a_partition_for_today_and_the_week_ahead() throws SQLException {
        try (Connection connection = MIGRATED.getConnection();
                var statement = connection.createStatement();
                var rows = statement.executeQuery(
                        "select count(*) from pg_inherits" + " where inhparent = 'twinbell.execution'::regclass")) {
            rows.next();
            assertEquals(10, rows.getInt(1), "yesterday to a week ahead, and the default");
        }
    }

    @Test
    void rows_that_waited_in_the_default_partition_move_to_their_day() throws SQLException {
        PGSimpleDataSource database = TestPostgres.freshDatabase();
        TestPostgres.execute(
                database,
                "insert into twinbell.execution (task_id, fire_time, app, name, state)"
                        + " values (1, '2020-02-03T04:05:06.007Z', 'a', 'n', 'MISSED')");
        TestPostgres.execute(database, "select twinbell.ensure_partition('2020-02-03')");
        try (Connection connection = database.getConnection();
                var statement = connection.createStatement();
                var rows = statement.executeQuery("select count(*) from twinbell.execution_20200203")) {
            rows.next();
            assertEquals(1, rows.getInt(1));
        }
    }

    @Test
    void tables_that_every_fire_changes_are_vacuumed_before_a_fifth_of_their_rows_is_dead() throws SQLException {
        try (Connection connection = TestPostgres.freshDatabase().getConnection();
                var statement = connection.createStatement();
                var row = statement.executeQuery("select count(*) from pg_class where oid in"
                        + " ('twinbell.task'::regclass, 'twinbell.task_state'::regclass)"
                        + " and 'autovacuum_vacuum_scale_factor=0.02' = any (reloptions)")) {
            row.next();
            assertEquals(2, row.getInt(1));
        }
    }

    @Test
    void every_partition_has_the_statistics_that_the_ledger_asks_for() throws SQLException {
        try (Connection connection = MIGRATED.getConnection();
                var statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute("select twinbell.ensure_partition('2020-02-03')");
            try (var rows = statement.executeQuery(
                    "select c.relname, count(*) filter (where a.attstattarget = 0) from pg_inherits i"
                            + " join pg_class c on c.oid = i.inhrelid join pg_attribute a on a.attrelid = c.oid"
                            + " where i.inhparent = 'twinbell.execution'::regclass and a.attnum > 0"
                            + " group by c.relname")) {
                int partitions = 0;
                while (rows.next()) {
                    partitions++;
                    assertEquals(8, rows.getInt(2), rows.getString(1));
                }
                assertEquals(11, partitions, "yesterday to a week ahead, the day of 2020, and the default");
            }
            connection.rollback();
        }
    }

    @Test
    void milliseconds_are_exact_up_to_2199_and_what_is_finer_is_cut_off() throws SQLException {
        try (Connection connection = TestPostgres.freshDatabase().getConnection();
                var statement = connection.createStatement();
                var row = statement.executeQuery(
                        "select count(*) filter (where twinbell.millis(at) <> n),"
                                + " count(*) filter (where twinbell.millis(at + interval '999 microseconds') <> n)"
                                + " from (select n, twinbell.instant(n) as at from"
                                + " (select i * 725811839999 / 20000 as n from generate_series(0, 200000::bigint) as i) as a) as b")) {
            row.next();
            assertEquals(0, row.getLong(1));
            assertEquals(0, row.getLong(2));
        }
    }

    @Test
    void a_function_with_the_rights_of_the_owner_finds_no_object_of_its_caller() {
        TestTasks tables = new TestTasks(MIGRATED);
        tables.assertRows("""
                select p.oid::regprocedure from pg_proc p where p.pronamespace = 'twinbell'::regnamespace and p.prosecdef
                  and not coalesce(p.proconfig @> array['search_path=pg_catalog, pg_temp', 'standard_conforming_strings=on'], false)""");
        assertTrue(tables.number(
                        "select count(*) from pg_proc where pronamespace = 'twinbell'::regnamespace and prosecdef")
                > 30);
    }

    @Test
    void no_instant_of_any_table_may_be_infinite() {
        PGSimpleDataSource database = TestPostgres.freshDatabase();
        assertEquals(List.of("heartbeat.beat_at"), new TestTasks(database).query("""
                        select c.relname || '.' || a.attname from pg_class c join pg_attribute a on a.attrelid = c.oid
                         where c.relnamespace = 'twinbell'::regnamespace and c.relkind in ('r', 'p')
                           and a.atttypid = 'timestamptz'::regtype and a.attnum > 0 and not a.attisdropped
                           and not exists (select 1 from pg_constraint k where k.conrelid = c.oid
                            and pg_get_constraintdef(k.oid) ~ ('isfinite\\(' || a.attname || '\\)'))
                        """));
    }

    @Test
    void rows_that_no_loop_could_read_are_refused() {
        PGSimpleDataSource database = TestPostgres.freshDatabase();
        for (String row : List.of(
                "cancel_request values (1, '-infinity', 'x')",
                "firing_pause (reason, paused_by, paused_until) values ('x', 'y', 'infinity')",
                "run_limit (key, rate_max, rate_per) values ('tag:x', 1, '1000000 years')",
                "run_limit (key, rate_max, rate_per) values ('tag:x', 1, '99 milliseconds')",
                "run_limit (key, rate_max, rate_per) values ('tag:x', 100001, '1 minute')",
                "run_limit (key, max_running) values ('tag:x', 100001)",
                "execution (task_id, fire_time, app, name, state) values (1, 'infinity', 'a', 'n', 'PENDING')",
                "claim_batch values (1, 1, 'a', now(), '{1,2}', '{1}')",
                "claim_batch values (1, 1, 'a', now(), '{1}', '{null}')",
                "claim_batch values (1, 1, 'a', now(), '{1}', '{7258118400000}')",
                "alert (name, content, events) values ('x', '[]', '{FAILED}')",
                "calendar (name, content) values ('x', '[1]')",
                "removal (task_id, app, name, handler_type, definition, state, removed_at)"
                        + " values (1, 'a', 'n', 'log', '{}', 'GONE', now())")) {
            RuntimeException failure = assertThrows(
                    RuntimeException.class, () -> TestPostgres.execute(database, "insert into twinbell." + row), row);
            assertTrue(failure.getCause().getMessage().contains("violates check constraint"), row);
        }
    }
}
