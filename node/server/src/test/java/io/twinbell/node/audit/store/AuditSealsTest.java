package io.twinbell.node.audit.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.node.audit.store.AuditReader.CheckedSeal;
import io.twinbell.persistence.database.DatabaseSettings;
import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.database.Migrations;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.epoch.JdbcEpochRegister;
import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestSettings;
import io.twinbell.persistence.testing.TestTasks;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** Whatever is done to sealed entries is found. */
class AuditSealsTest {
    private static final String FIRST_OF_SECOND = "(select ids[1] from twinbell.audit_seal where number = 2)";

    private final PGSimpleDataSource database = TestPostgres.freshDatabase();
    private final TestTasks tasks = new TestTasks(database);
    private final DatabaseSettings settings = TestSettings.of(database, "a");

    @AutoClose
    private final DedicatedConnection connection = new DedicatedConnection(settings, "test", 5);

    private final AuditSeals seals = new AuditSeals(connection);
    private final AuditReader reader = new AuditReader(database);
    private Epoch epoch;

    /** Three seals of two entries. */
    @BeforeEach
    void seal() {
        epoch = TestSettings.openEpoch(new JdbcEpochRegister(settings, connection), settings, 0);
        for (int i = 0; i < 5; i++) {
            tasks.execute("insert into twinbell.run_limit (key, max_running) values ('tag:" + i + "', 1)");
        }
        for (int i = 0; i < 3; i++) {
            assertEquals(2, seals.seal(epoch, 2).orElseThrow().entries().size());
        }
        assertTrue(seals.seal(epoch, 2).isEmpty());
        assertEquals(List.of(), problems());
    }

    private List<String> problems() {
        List<String> problems = new ArrayList<>();
        reader.check(0, 100).stream().map(CheckedSeal::problems).forEach(problems::addAll);
        String end = reader.end().problem();
        if (end != null) {
            problems.add(end);
        }
        return problems;
    }

    private String second() {
        return tasks.row("select ids[1] from twinbell.audit_seal where number = 2");
    }

    @Test
    void a_changed_entry_is_found() {
        tasks.execute("update twinbell.audit_entry set actor = 'somebody' where id = " + FIRST_OF_SECOND);
        assertEquals(List.of("entry " + second() + " was changed"), problems());
    }

    @Test
    void a_missing_entry_is_found() {
        tasks.execute("delete from twinbell.audit_entry where id = " + FIRST_OF_SECOND);
        assertEquals(List.of("entry " + second() + " is missing"), problems());
    }

    @Test
    void an_added_entry_is_found() {
        tasks.execute(
                "insert into twinbell.audit_entry (tx, actor, channel, kind, act) select tx, 'x', 'SQL', 'TASK', 'REMOVE'"
                        + " from twinbell.audit_entry where id = " + FIRST_OF_SECOND);
        assertEquals(1, problems().size());
        assertTrue(problems().get(0).endsWith("was added to seal 2"), problems().toString());
    }

    @Test
    void reordered_entries_are_found() {
        tasks.execute(
                "update twinbell.audit_seal set ids = array[ids[2], ids[1]], digests = array[digests[2], digests[1]]"
                        + " where number = 2");
        assertTrue(problems().contains("seal 2 was changed"), problems().toString());
    }

    @Test
    void a_missing_seal_is_found() {
        tasks.execute("delete from twinbell.audit_seal where number = 2");
        assertEquals(List.of("seal 2 is missing"), problems());
    }

    @Test
    void a_truncated_end_is_found() {
        tasks.execute("delete from twinbell.audit_seal where number = 3");
        assertEquals(List.of("the last seal is 2, and 3 was recorded as the last"), problems());
        assertEquals(2, reader.end().unsealed());
    }

    @Test
    void an_entry_waits_for_older_transactions() throws SQLException {
        try (Connection slow = database.getConnection()) {
            slow.setAutoCommit(false);
            slow.createStatement().execute("insert into twinbell.run_limit (key, max_running) values ('tag:slow', 1)");
            tasks.execute("insert into twinbell.run_limit (key, max_running) values ('tag:quick', 1)");
            assertTrue(seals.seal(epoch, 10).isEmpty());
            assertEquals(1, reader.end().unsealed());
            slow.commit();
        }
        assertEquals(
                List.of("tag:slow", "tag:quick"),
                seals.seal(epoch, 10).orElseThrow().entries().stream()
                        .map(entry -> entry.target().object())
                        .toList());
        assertEquals(List.of(), problems());
    }

    @Test
    void a_superseded_master_seals_nothing() {
        tasks.execute("insert into twinbell.run_limit (key, max_running) values ('tag:x', 1)");
        Epoch superseded = new Epoch(epoch.number(), UUID.randomUUID(), "a", 0);
        assertTrue(seals.seal(superseded, 10).isEmpty());
        assertEquals(1, reader.end().unsealed());
    }

    @Test
    void days_are_dropped_with_their_seals() {
        tasks.execute(
                "select twinbell.ensure_audit_partition(((clock_timestamp() at time zone 'UTC')::date - 40)::date)");
        assertEquals(
                "audit_entry_"
                        + tasks.row("select to_char((clock_timestamp() at time zone 'UTC')::date - 40, 'YYYYMMDD')"),
                seals.dropDay(epoch, 30).orElseThrow());
        assertTrue(seals.dropDay(epoch, 30).isEmpty());
        assertEquals(List.of(), problems());
    }

    @Test
    void entries_without_a_partition_of_their_day_move_into_it() {
        tasks.execute("insert into twinbell.audit_entry (at, actor, channel, kind, act)"
                + " values (clock_timestamp() + interval '20 days', 'x', 'SQL', 'TASK', 'CREATE')");
        assertEquals(1, tasks.number("select count(*) from twinbell.audit_entry_default"));
        seals.makePartitions(epoch);
        assertEquals(0, tasks.number("select count(*) from twinbell.audit_entry_default"));
        assertEquals(1, tasks.number("select count(*) from twinbell.audit_entry where actor = 'x'"));
    }

    @Test
    void an_application_can_neither_write_nor_forge_entries() throws SQLException {
        String role = "audit_app_" + UUID.randomUUID().toString().substring(0, 8);
        tasks.execute("create role " + role + " login password 'x'; grant usage on schema twinbell to " + role
                + "; grant execute on function twinbell.add_task(text, text, jsonb, jsonb, jsonb) to " + role);
        try (Connection session = database.getConnection(role, "x")) {
            for (String forged : List.of(
                    "insert into twinbell.audit_entry (actor, channel, kind, act) values ('x', 'SQL', 'TASK', 'CREATE')",
                    "select twinbell.audit_act('TASK', 'x', 'x', 'x', 'CREATE', null, 1)",
                    "select * from twinbell.seal_audit(1)",
                    "select twinbell.drop_audit_day(1)",
                    "update twinbell.audit_entry set actor = 'x'",
                    "create temp table t (name text); create trigger t after insert on t for each row execute function"
                            + " twinbell.audit_object('TOKEN', 'name', '')")) {
                assertEquals(
                        "42501",
                        assertThrows(
                                        SQLException.class,
                                        () -> session.createStatement().execute(forged),
                                        forged)
                                .getSQLState());
            }
            session.createStatement()
                    .execute("set twinbell.actor = '{\"actor\": \"token ann\", \"channel\": \"HTTP\"}'");
            session.createStatement().execute("set application_name = 'twinbell/00000000-0000/x/a'");
            session.createStatement()
                    .execute("select twinbell.add_task('shop', 'n', '{\"in\": \"PT1H\"}', '{\"type\": \"log\"}')");
        }
        tasks.assertRows(
                "select actor, channel, db_role from twinbell.audit_entry order by id desc limit 1",
                "role " + role + "|SQL|" + role);
        tasks.execute("drop owned by " + role + "; drop role " + role);
    }

    @Test
    void the_owner_changes_no_entry_before_taking_the_right() throws SQLException {
        String owner = "audit_owner_" + UUID.randomUUID().toString().substring(0, 8);
        PGSimpleDataSource own = TestPostgres.emptyDatabase();
        TestPostgres.execute(
                own,
                "create role " + owner + " login password 'x'; grant all on database " + own.getDatabaseName() + " to "
                        + owner);
        own.setUser(owner);
        own.setPassword("x");
        Migrations.migrate(own);
        TestTasks owned = new TestTasks(own);
        owned.execute("insert into twinbell.run_limit (key, max_running) values ('tag:x', 1)");
        for (String change : List.of(
                "update twinbell.audit_entry set actor = 'x'",
                "delete from twinbell.audit_entry",
                "truncate twinbell.audit_entry",
                "delete from twinbell.audit_seal")) {
            assertThrows(IllegalStateException.class, () -> owned.execute(change), change);
        }
        assertEquals(1, owned.number("select count(*) from twinbell.seal_audit(10)"));
        assertEquals(
                0,
                owned.number("select count(*) from twinbell.ensure_audit_partition(current_date + 50) p where not p"));
        owned.execute("select twinbell.drop_audit_day(30)");
        assertNull(new AuditReader(own).end().problem());
    }
}
