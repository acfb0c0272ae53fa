package io.twinbell.node.setup;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.node.audit.store.AuditSeals;
import io.twinbell.node.upkeep.store.JdbcLedgerUpkeep;
import io.twinbell.persistence.database.DatabaseSettings;
import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.database.Migrations;
import io.twinbell.persistence.database.SchemaBusyException;
import io.twinbell.persistence.database.WrongSchemaException;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.epoch.JdbcEpochRegister;
import io.twinbell.persistence.testing.TestSettings;
import io.twinbell.persistence.testing.TestTasks;
import java.sql.Connection;
import java.sql.Statement;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a node can and cannot do whose role does not own the schema. */
class NodeRoleTest {
    private static final TwoRoleDatabase DATABASE = new TwoRoleDatabase();

    private final TestTasks owner = new TestTasks(DATABASE.owner());
    private final TestTasks node = new TestTasks(DATABASE.node());
    private final DatabaseSettings settings = TestSettings.of(DATABASE.node(), "a");

    @AutoClose
    private final DedicatedConnection connection = new DedicatedConnection(settings, "housekeeping", 5);

    private final JdbcEpochRegister register = new JdbcEpochRegister(settings, connection);
    private final Epoch epoch =
            TestSettings.openEpoch(register, settings, register.read().epoch());
    private final JdbcLedgerUpkeep upkeep = new JdbcLedgerUpkeep(connection);
    private final AuditSeals audit = new AuditSeals(connection);

    @ParameterizedTest
    @ValueSource(
            strings = {
                "create table twinbell.mine (id int)",
                "create table public.mine (id int)",
                "create temporary table mine (id int)",
                "create schema mine",
                "create function twinbell.mine() returns int language sql as 'select 1'",
                "alter table twinbell.task disable trigger audit_changed",
                "drop table twinbell.task",
                "truncate twinbell.task",
                "update twinbell.audit_entry set actor = 'x'",
                "update twinbell.audit_entry_default set actor = 'x'",
                "delete from twinbell.audit_entry",
                "truncate twinbell.audit_entry",
                "insert into twinbell.audit_entry (actor, channel, kind, act) values ('x', 'SQL', 'TASK', 'CREATE')",
                "update twinbell.audit_seal set chain = ''",
                "delete from twinbell.audit_seal",
                "update twinbell.audit_head set number = 0",
                "update twinbell.node_role set audit_days = 1",
                "delete from twinbell.caller_right",
                "delete from twinbell.flyway_schema_history",
                "select twinbell.ensure_partition('2020-01-01')",
                "select twinbell.ensure_audit_partition('2020-01-01')",
                "select twinbell.admit_node('postgres', 1)",
                "select twinbell.grant_to_nodes()",
                "select twinbell.allow_caller('postgres')",
                "set session_replication_role = replica",
            })
    void a_node_creates_no_object_and_changes_no_audit(String statement) {
        IllegalStateException refused = assertThrows(IllegalStateException.class, () -> node.execute(statement));
        assertTrue(refused.getCause().getMessage().matches("(?s).*(permission denied|must be owner).*"), statement);
    }

    @Test
    void a_role_cannot_run_its_casts_as_the_owner_by_a_trigger() {
        TestTasks superuser = new TestTasks(DATABASE.superuser());
        String stranger = DATABASE.node().getUser() + "_caller";
        superuser.execute("create role " + stranger + "; grant usage on schema twinbell to " + stranger
                + "; grant temporary on database " + DATABASE.node().getDatabaseName() + " to " + stranger);
        IllegalStateException refused = assertThrows(
                IllegalStateException.class,
                () -> superuser.execute("set session authorization " + stranger
                        + "; create temporary table mine (app text, definition jsonb);"
                        + " create trigger mine after insert on mine referencing new table as added"
                        + " for each statement execute function twinbell.check_quotas_of_added()"));
        assertTrue(
                refused.getCause().getMessage().contains("permission denied for function"),
                refused.getCause().getMessage());
    }

    @Test
    void only_the_owner_may_create_triggers_of_the_schema() {
        assertEquals(List.of(), owner.query("""
                        select p.oid::regprocedure from pg_proc p, aclexplode(coalesce(proacl, acldefault('f', proowner))) a
                        where pronamespace = 'twinbell'::regnamespace and prorettype = 'trigger'::regtype
                        and a.grantee <> proowner order by 1"""));
    }

    @Test
    void every_role_may_call_only_one_function_with_the_rights_of_the_owner() {
        assertEquals(List.of("twinbell.audit_catch_up(bigint[],bigint[])"), owner.query("""
                        select p.oid::regprocedure from pg_proc p, aclexplode(coalesce(proacl, acldefault('f', proowner))) a
                        where pronamespace = 'twinbell'::regnamespace and prosecdef and a.grantee = 0 order by 1"""));
    }

    @Test
    void a_node_reads_every_table_and_writes_the_others() {
        for (String table : node.query("select relname from pg_class where relnamespace = 'twinbell'::regnamespace"
                + " and relkind in ('r', 'p', 'v') and relname !~ '_[0-9]{8}$'")) {
            node.query("select * from twinbell." + table + " limit 1");
        }
        assertEquals(
                List.of("""
                audit_entry audit_entry_default audit_head audit_seal caller_right definition flyway_schema_history \
                node_role""".split(" ")),
                node.query(
                        "select relname from pg_class where relnamespace = 'twinbell'::regnamespace and relkind in ('r', 'p')"
                                + " and relname !~ '_[0-9]{8}$' and not has_table_privilege(oid, 'DELETE') order by 1"));
    }

    @Test
    void a_node_creates_the_partitions_of_the_week_ahead() {
        owner.execute("do $$ declare part text; begin for part in select relname from pg_class"
                + " where relname ~ '^(execution|audit_entry)_[0-9]{8}$' and relnamespace = 'twinbell'::regnamespace"
                + " loop execute 'drop table twinbell.' || part; end loop; end $$");
        upkeep.makePartitions(epoch);
        audit.makePartitions(epoch);
        assertEquals(
                List.of("18|" + DATABASE.owner().getUser()),
                owner.query("select count(*), max(tableowner) from pg_tables where tablename ~ '_[0-9]{8}$'"));
    }

    @Test
    void a_node_drops_past_days_of_the_ledger_and_no_others() {
        owner.execute("select twinbell.ensure_partition('2020-02-03'), twinbell.ensure_partition('2020-02-04')");
        node.execute(
                "insert into twinbell.execution (task_id, fire_time, app, name, state)"
                        + " values (1, '2020-02-03T04:05:06Z', 'a', 'n', 'MISSED'), (1, '2020-02-04T04:05:06Z', 'a', 'n', 'RUNNING')");
        assertEquals(List.of("execution_20200203"), upkeep.dropDays(epoch, 30));
        assertEquals(
                List.of("execution_20200204"),
                owner.query("select to_regclass('twinbell.execution_20200204')" + "::oid::regclass::text").stream()
                        .map(name -> name.replace("twinbell.", ""))
                        .toList());
        node.execute("delete from twinbell.execution");
        assertEquals(List.of("execution_20200204"), upkeep.dropDays(epoch, 30));
        refuses("select twinbell.detach_ledger_day(current_date + 1)", "is not over");
        upkeep.makePartitions(epoch);
        refuses("select twinbell.drop_ledger_day(current_date)", "still contains");
    }

    @Test
    void a_node_drops_no_day_of_the_audit_that_its_owner_keeps() {
        owner.execute(
                "select twinbell.ensure_audit_partition(current_date - " + (TwoRoleDatabase.AUDIT_DAYS - 1) + ")");
        assertEquals(Optional.empty(), audit.dropDay(epoch, 1));
        refuses("select twinbell.drop_audit_day(0)", "at least one day");
        owner.execute(
                "select twinbell.ensure_audit_partition(current_date - " + (TwoRoleDatabase.AUDIT_DAYS + 2) + ")");
        assertTrue(audit.dropDay(epoch, 1).isPresent());
        assertEquals(Optional.empty(), audit.dropDay(epoch, 1));
        assertFalse(owner.query("select twinbell.drop_audit_day(30)").contains(""), "the owner decides");
    }

    private void refuses(String statement, String part) {
        IllegalStateException refused = assertThrows(IllegalStateException.class, () -> node.query(statement));
        assertTrue(
                refused.getCause().getMessage().contains(part),
                refused.getCause().getMessage());
    }

    @Test
    void a_node_is_believed_about_the_author_and_other_roles_are_not() {
        String change = "select set_config('twinbell.actor', '{\"actor\": \"ann\", \"channel\": \"HTTP\"}', false);"
                + " insert into twinbell.run_limit (key, max_running) values ('tag:%s', 1)";
        node.execute(change.formatted("by_node"));
        TestTasks superuser = new TestTasks(DATABASE.superuser());
        String stranger = DATABASE.node().getUser() + "_stranger";
        superuser.execute("create role " + stranger + "; grant usage on schema twinbell to " + stranger
                + "; grant insert on twinbell.run_limit to " + stranger);
        superuser.execute("set session authorization " + stranger + "; " + change.formatted("by_stranger"));
        assertEquals(
                List.of("tag:by_node|ann", "tag:by_stranger|role " + stranger),
                owner.query("select object, actor from twinbell.audit_entry where kind = 'LIMIT' order by id"));
    }

    @Test
    void a_node_without_a_right_is_refused_and_one_that_needs_a_migration_waits_for_its_owner() {
        TwoRoleDatabase other = new TwoRoleDatabase();
        TestTasks owned = new TestTasks(other.owner());
        owned.execute("create table twinbell.newer (id int)");
        WrongSchemaException refused = assertThrows(WrongSchemaException.class, () -> Migrations.migrate(other.node()));
        assertTrue(refused.getMessage().contains("may not use twinbell.newer"), refused.getMessage());
        owned.execute("select twinbell.grant_to_nodes()");
        String newest = Migrations.migrate(other.node()).database();

        owned.execute("delete from twinbell.flyway_schema_history where version = '" + newest + "'");
        SchemaBusyException older = assertThrows(SchemaBusyException.class, () -> Migrations.migrate(other.node()));
        assertTrue(
                older.getMessage().contains("this build needs version " + newest)
                        && older.getMessage().contains("run 'twinbell init-db'"),
                older.getMessage());
    }

    @Test
    void a_second_creation_changes_nothing() {
        assertEquals(List.of(), DATABASE.create());
    }

    /** A node writes while the schema is moved. The move gives way before it could delay or break the node's statements. */
    @Test
    void a_move_to_an_owner_gives_way_to_nodes_that_write_is_tried_again_and_takes_all_objects() throws Exception {
        TwoRoleDatabase other = new TwoRoleDatabase();
        String node = other.node().getUser();
        String owner = other.owner().getUser();
        TestTasks superuser = new TestTasks(other.superuser());
        superuser.execute("reassign owned by " + owner + " to " + node + "; delete from twinbell.node_role");
        Migrations.migrate(other.node());
        String waits = "select count(*) from pg_stat_activity where datname = current_database()"
                + " and wait_event_type = 'Lock' and query like '%alter schema twinbell owner%'";
        CompletableFuture<List<String>> moved;
        try (Connection writes = other.node().getConnection();
                Statement statement = writes.createStatement()) {
            writes.setAutoCommit(false);
            statement.execute("lock table twinbell.task in row exclusive mode");
            moved = CompletableFuture.supplyAsync(other::create);
            await().until(() -> superuser.number(waits) == 1);
            await().until(() -> superuser.number(waits) == 0);
            assertFalse(moved.isDone());
            writes.rollback();
        }
        assertEquals(List.of("moved schema twinbell from role " + node + " to role " + owner), moved.get());
        assertEquals(List.of("0|0|0"), superuser.query("""
                        select (select count(*) from pg_class where relnamespace = 'twinbell'::regnamespace
                                and relowner = r.oid),
                               (select count(*) from pg_proc where proowner = r.oid),
                               (select count(*) from pg_type where typowner = r.oid)
                        from pg_roles r where rolname = ?""", node));
        assertEquals(
                List.of(owner),
                superuser.query("select pg_get_userbyid(datdba) from pg_database where datname = current_database()"));
        Migrations.migrate(other.node());
        assertThrows(
                IllegalStateException.class,
                () -> new TestTasks(other.node()).execute("delete from twinbell.audit_entry"));
    }
}
