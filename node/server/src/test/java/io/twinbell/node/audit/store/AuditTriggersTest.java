package io.twinbell.node.audit.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.node.access.store.TokenStore;
import io.twinbell.node.access.store.TokenStore.TokenRights;
import io.twinbell.node.defaults.store.TaskDefaultsStore;
import io.twinbell.node.execution.store.ExecutionRequests.Backfill;
import io.twinbell.node.execution.store.JdbcExecutionRequests;
import io.twinbell.node.limit.store.FiringPauses;
import io.twinbell.node.limit.store.StandingPauses;
import io.twinbell.persistence.actor.Actor;
import io.twinbell.persistence.database.DatabaseSettings;
import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.database.Transactions;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.epoch.InstructionRegister;
import io.twinbell.persistence.epoch.JdbcEpochRegister;
import io.twinbell.persistence.ledger.LedgerEntry;
import io.twinbell.persistence.ledger.PackedSlots;
import io.twinbell.persistence.ledger.Slot;
import io.twinbell.persistence.ledger.claim.DecidedSlot;
import io.twinbell.persistence.ledger.claim.JdbcLedger;
import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestSettings;
import io.twinbell.persistence.testing.TestTasks;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** Which changes have an entry, and whose it is. */
class AuditTriggersTest {
    private static final Actor ANN = new Actor("token ann", Actor.Channel.HTTP, "10.0.0.7", "POST /x");
    private static final String ENTRIES =
            "select concat_ws(' ', actor, kind, object, app, name, act) from twinbell.audit_entry order by id";

    private final PGSimpleDataSource database = TestPostgres.freshDatabase();
    private final TestTasks tasks = new TestTasks(database);
    private final DatabaseSettings settings = TestSettings.of(database, "a");

    @AutoClose
    private final DedicatedConnection connection = DedicatedConnection.byKey(settings, "test", 5);

    private void asAnn(String sql) {
        ANN.perform(() -> new Transactions(database).run("test", c -> {
            try (var statement = c.createStatement()) {
                return statement.execute(sql);
            }
        }));
    }

    private Epoch epoch() {
        return TestSettings.openEpoch(new JdbcEpochRegister(settings, connection), settings, 0);
    }

    @Test
    void a_change_is_shown_with_its_author_and_what_was_before() {
        long id = tasks.insert("t", "{\"schedule\":{\"every\":\"PT1H\"},\"priority\":1}", 0);
        asAnn(
                "update twinbell.full_task set definition = definition || '{\"priority\":2}', updated_at = clock_timestamp()");
        assertEquals(
                List.of("token ann|HTTP|10.0.0.7|POST /x|1|2|DONE"),
                tasks.query(
                        "select actor, channel, address, request, before ->> 'priority', after ->> 'priority', outcome"
                                + " from twinbell.audit_entry where act = 'CHANGE' and object = ?",
                        Long.toString(id)));
    }

    @Test
    void defaults_are_entered_under_their_app_and_their_removal_as_such() {
        TaskDefaultsStore defaults = new TaskDefaultsStore(database);
        ANN.perform(() -> {
            defaults.put("app:shop", "{\"priority\":2}", null);
            defaults.put("app:shop", "{\"priority\":3}", null);
            defaults.remove("app:shop");
            defaults.put("app:shop", "{\"priority\":4}", null);
            defaults.put("cluster", "{\"priority\":5}", null);
        });
        tasks.assertRows(
                ENTRIES,
                "token ann DEFAULTS app:shop shop CREATE",
                "token ann DEFAULTS app:shop shop CHANGE",
                "token ann DEFAULTS app:shop shop REMOVE",
                "token ann DEFAULTS app:shop shop CREATE",
                "token ann DEFAULTS cluster CREATE");
    }

    @Test
    void a_statement_that_adds_no_task_has_no_entry() {
        tasks.insert("t", "{\"schedule\":{\"every\":\"PT1H\"}}", 0);
        tasks.execute("truncate twinbell.audit_entry");
        asAnn("insert into twinbell.task (app, name, definition_id) select app, name, definition_id from twinbell.task"
                + " on conflict do nothing");
        assertEquals(List.of(), tasks.query(ENTRIES));
    }

    @Test
    void an_undone_change_has_no_entry() {
        assertThrows(
                IllegalStateException.class,
                () -> ANN.perform(() -> new Transactions(database).run("test", c -> {
                    c.createStatement()
                            .execute("insert into twinbell.run_limit (key, max_running) values ('tag:x', 1)");
                    throw new IllegalStateException("undo");
                })));
        assertEquals(List.of(), tasks.query(ENTRIES));
    }

    @Test
    void claims_and_outcomes_write_no_entry() {
        long now = tasks.number("select twinbell.now_millis()");
        long often = tasks.insert("often", "{}", now);
        long once = tasks.insert("once", "{}", now);
        Epoch epoch = epoch();
        tasks.execute("truncate twinbell.audit_entry");
        var outcome = new JdbcLedger(connection, PackedSlots.none())
                .claim(
                        epoch,
                        1,
                        List.of(
                                new DecidedSlot(
                                        often,
                                        1,
                                        now,
                                        now + 5000,
                                        false,
                                        DecidedSlot.UNLIMITED,
                                        LedgerEntry.claimed(now)),
                                new DecidedSlot(
                                        once,
                                        1,
                                        now,
                                        DecidedSlot.NONE,
                                        true,
                                        DecidedSlot.UNLIMITED,
                                        LedgerEntry.claimed(now))));
        assertEquals(2, outcome.entered().size());
        tasks.execute("update twinbell.execution set state = 'SUCCEEDED', ended_at = clock_timestamp()");
        assertEquals(List.of("FINISHED"), tasks.query("select state from twinbell.task_state where task_id = ?", once));
        assertEquals(List.of(), tasks.query(ENTRIES));
    }

    @Test
    void one_shots_of_a_statement_are_one_entry() {
        String insert = "insert into twinbell.task (app, name, definition_id) select 'shop', '%1$s' || g,"
                + " (twinbell.define(array[twinbell.definition_doc(null, '{}', 'log', null, '%2$s')]))[1]"
                + " from generate_series(1, %3$s) g";
        asAnn(insert.formatted("n", "{\"schedule\":{\"in\":\"PT1H\"}}", 50));
        asAnn(insert.formatted("c", "{\"schedule\":{\"every\":\"PT1H\"}}", 3));
        tasks.assertRows(
                "select items, name, jsonb_array_length(after -> 'names') from twinbell.audit_entry order by id",
                "50||10",
                "1|c1|",
                "1|c2|",
                "1|c3|");
    }

    @Test
    void a_removed_task_is_shown_and_finished_ones_are_counted() {
        tasks.insert("gone", "{\"schedule\":{\"every\":\"PT1H\"}}", 0);
        tasks.insert("done", "{}", 0);
        tasks.insert("done too", "{}", 0);
        tasks.execute("update twinbell.task_state set state = 'FINISHED' where task_id > 1");
        tasks.execute("truncate twinbell.audit_entry");
        asAnn("delete from twinbell.task");
        tasks.assertRows(
                "select name, items, before #>> '{schedule,every}' from twinbell.audit_entry order by items",
                "gone|1|PT1H",
                "|2|");
    }

    @Test
    void pauses_and_moves_of_a_task_are_shown() {
        tasks.insert("t", "{\"schedule\":{\"every\":\"PT1H\"}}", 0);
        tasks.execute("truncate twinbell.audit_entry");
        asAnn("update twinbell.task_state set version = version + 1, state = 'PAUSED', state_reason = 'why'");
        asAnn("update twinbell.task_state set version = version + 1, state = 'ACTIVE', state_reason = null");
        asAnn(
                "update twinbell.task_state set version = version + 1, next_fire_time = '2030-01-01Z', off_schedule = true");
        tasks.assertRows(
                ENTRIES,
                "token ann TASK 1 test t PAUSE",
                "token ann TASK 1 test t RESUME",
                "token ann TASK 1 test t MOVE");
    }

    @Test
    void pauses_holds_and_moves_of_the_pair_are_shown() throws Exception {
        epoch();
        FiringPauses pauses = new FiringPauses(connection);
        InstructionRegister instructions = new InstructionRegister(connection);
        StandingPauses standing = new StandingPauses(database);
        ANN.perform(() -> {
            pauses.pause("deploy", "ann", OptionalLong.empty());
            pauses.resume();
            instructions.hold("deploy", "ann", OptionalLong.empty());
            instructions.release();
            standing.set("app:shop", "deploy", "ann", OptionalLong.empty());
            standing.end("app:shop");
        });
        pauses.pause("the clock jumped", "node a", OptionalLong.empty());
        tasks.assertRows(
                ENTRIES,
                "node a ROLE a PROMOTE",
                "token ann PAUSE 1 PAUSE",
                "token ann PAUSE 1 RESUME",
                "token ann HOLD HOLD",
                "token ann HOLD RELEASE",
                "token ann STANDING_PAUSE app:shop shop PAUSE",
                "token ann STANDING_PAUSE app:shop shop RESUME",
                "node a PAUSE 2 PAUSE");
        tasks.assertRows(
                "select after ->> 'reason' from twinbell.audit_entry order by id desc limit 1", "the clock jumped");
    }

    @Test
    void emptied_tables_and_deleted_rows_are_shown_with_what_was_there() {
        tasks.execute("insert into twinbell.run_limit (key, max_running) values ('app:shop', 3), ('db', 4)");
        tasks.execute("insert into twinbell.calendar (name, content) values ('holidays', '{\"yearly\":[\"12-25\"]}')");
        tasks.execute("insert into twinbell.access_token (name, hash, role, apps, grants)"
                + " values ('deploy', sha256('x'), 'ADMIN', '{}', '{}')");
        tasks.execute("insert into twinbell.standing_pause (key, reason, paused_by) values ('tag:x', 'why', 'ann')");
        tasks.execute("insert into twinbell.firing_pause (reason, paused_by, paused_at, resumed_at)"
                + " values ('over', 'ann', now(), now())");
        tasks.execute("insert into twinbell.firing_pause (reason, paused_by) values ('open', 'ann')");
        tasks.execute("insert into twinbell.caller_right (role, handlers, secrets) values ('shop', '{http}', false)");
        tasks.execute("insert into twinbell.task_defaults (key, content)"
                + " values ('app:shop', '{\"priority\":2}'), ('app:empty', '{}'), ('app:deleted', '{\"priority\":3}')");
        tasks.execute("update twinbell.takeover_hold set held_at = now(), reason = 'why', held_by = 'ann'");
        tasks.execute("truncate twinbell.audit_entry");
        asAnn("delete from twinbell.task_defaults where key in ('app:deleted', 'app:empty')");
        asAnn("delete from twinbell.takeover_hold");
        for (String table : List.of(
                "run_limit",
                "calendar",
                "access_token",
                "standing_pause",
                "firing_pause",
                "caller_right",
                "task_defaults",
                "takeover_hold")) {
            asAnn("truncate twinbell." + table + " cascade");
        }
        tasks.assertRows(
                ENTRIES,
                "token ann DEFAULTS app:deleted deleted REMOVE",
                "token ann HOLD RELEASE",
                "token ann LIMIT app:shop shop REMOVE",
                "token ann LIMIT db REMOVE",
                "token ann CALENDAR holidays REMOVE",
                "token ann TOKEN deploy REMOVE",
                "token ann STANDING_PAUSE tag:x REMOVE",
                "token ann PAUSE 2 REMOVE",
                "token ann CALLER shop REMOVE",
                "token ann DEFAULTS app:shop shop REMOVE");
        tasks.assertRows(
                "select before from twinbell.audit_entry where kind = 'LIMIT' and app = 'shop'",
                "{\"key\": \"app:shop\", \"max_running\": 3}");
        assertEquals(
                0, tasks.number("select count(*) from twinbell.audit_entry where concat(before, after) like '%hash%'"));
    }

    @Test
    void a_role_that_is_admitted_as_a_node_is_shown() {
        asAnn("insert into twinbell.node_role (role, audit_days) values ('nodes', 90)");
        asAnn("truncate twinbell.node_role");
        tasks.assertRows(ENTRIES, "token ann CALLER nodes CREATE", "token ann CALLER nodes REMOVE");
    }

    @Test
    void requests_for_executions_are_shown_and_those_of_nodes_are_not() throws Exception {
        long now = tasks.number("select twinbell.now_millis()");
        long id = tasks.insert("t", "{\"schedule\":{\"every\":\"PT1H\"}}", now + 3_600_000);
        tasks.execute("insert into twinbell.execution (task_id, fire_time, app, name, state) values" + " (" + id
                + ", '2026-03-29T01:00:00Z', 'test', 't', 'FAILED')");
        JdbcExecutionRequests requests = new JdbcExecutionRequests(database);
        tasks.execute("truncate twinbell.audit_entry");
        Slot slot = new Slot(id, 1774746000000L);
        ANN.perform(() -> {
            requests.rerun(slot, "again");
            requests.cancel(slot, "no");
            requests.backfill(id, List.of(1774746000001L, 1774746000002L), new Backfill("fill", Duration.ZERO, false));
        });
        connection.run(c -> c.createStatement()
                .execute("insert into twinbell.cancel_request (task_id, fire_time, reason)" + " values (" + id
                        + ", now(), 'overlap')"));
        tasks.assertRows(
                ENTRIES,
                "token ann EXECUTION 1/2026-03-29T01:00:00.000Z test t RERUN",
                "token ann EXECUTION 1/2026-03-29T01:00:00.000Z test t CANCEL",
                "token ann TASK 1 test t BACKFILL");
    }

    @Test
    void the_hash_of_a_token_is_not_shown() throws Exception {
        TokenStore tokens = new TokenStore(database);
        byte[] hash = new byte[32];
        byte[] next = new byte[32];
        next[0] = 1;
        ANN.perform(() -> {
            tokens.create("deploy", hash, new TokenRights("EDITOR", List.of("shop"), List.of()), null);
            tokens.used(List.of("deploy"));
            tokens.rotate("deploy", next, Duration.ofHours(1));
            tokens.revoke("deploy");
        });
        tasks.assertRows(
                ENTRIES,
                "token ann TOKEN deploy CREATE",
                "token ann TOKEN deploy ROTATE",
                "token ann TOKEN deploy REMOVE");
        assertEquals(
                0, tasks.number("select count(*) from twinbell.audit_entry where concat(before, after) like '%hash%'"));
    }

    @Test
    void secrets_are_masked_and_large_values_are_cut() {
        String masked =
                tasks.query("select twinbell.audit_value(?::jsonb)", """
                        {"headers":{"Authorization":"Bearer s3cr\\"et","X-Api-Key":"s3cret"},"secret":{"ref":"KEY"},
                         "url":"http://u:s3cret@h/x","body":"{\\"password\\":\\"s3cret\\",\\"n\\":1}"}""").get(0);
        assertFalse(masked.contains("s3cr"), masked);
        assertTrue(masked.contains("KEY") && masked.contains("\\\"n\\\":1"), masked);
        String cut = tasks.row("select twinbell.audit_value(jsonb_build_object('a', repeat('x', 100000),"
                + " 'password', repeat('y', 9000)))");
        assertTrue(cut.length() < 9000 && cut.contains("\"bytes\": 109"), cut);
        String cutInside = tasks.row("select twinbell.audit_value(jsonb_build_object('password', repeat('y', 9000)))");
        assertFalse(cutInside.contains("yy"), cutInside);
    }
}
