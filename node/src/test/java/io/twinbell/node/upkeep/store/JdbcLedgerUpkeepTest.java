package io.twinbell.node.upkeep.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.persistence.database.DatabaseSettings;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.epoch.EpochRegister;
import io.twinbell.persistence.epoch.JdbcEpochRegister;
import io.twinbell.persistence.ledger.LedgerEntry;
import io.twinbell.persistence.ledger.PackedSlots;
import io.twinbell.persistence.ledger.Slot;
import io.twinbell.persistence.ledger.claim.DecidedSlot;
import io.twinbell.persistence.ledger.claim.JdbcLedger;
import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestSettings;
import io.twinbell.persistence.testing.TestTasks;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

class JdbcLedgerUpkeepTest {
    private final PGSimpleDataSource database = TestPostgres.freshDatabase();
    private final TestTasks tasks = new TestTasks(database);
    private final DatabaseSettings a = TestSettings.of(database, "a");

    @AutoClose
    private final DedicatedConnection connection = new DedicatedConnection(a, "test", 5);

    private final EpochRegister register = new JdbcEpochRegister(a, connection);
    private final LedgerUpkeep upkeep = new JdbcLedgerUpkeep(connection);
    private final Epoch epoch = open(0);
    private final long now = tasks.number("select twinbell.now_millis()");

    private Epoch open(long expected) {
        return TestSettings.openEpoch(register, a, expected);
    }

    private void oldDay(String state) {
        tasks.execute("select twinbell.ensure_partition('2020-02-03')");
        tasks.execute("insert into twinbell.execution (task_id, fire_time, app, name, state)"
                + " values (1, '2020-02-03T04:05:06Z', 'a', 'n', '" + state + "')");
    }

    private long executions() {
        return tasks.number("select count(*) from twinbell.execution");
    }

    @Test
    void old_days_are_dropped_and_it_is_remembered_up_to_where() {
        oldDay("MISSED");
        assertEquals(List.of("execution_20200203"), upkeep.dropDays(epoch, 30));
        assertEquals(0, executions());
        tasks.assertRows("select what, until_fire_time = '2020-02-04T00:00:00Z' from twinbell.forgotten", "DAYS|t");
        assertEquals(List.of(), upkeep.dropDays(epoch, 30));
    }

    @Test
    void the_week_ahead_has_its_partitions() {
        tasks.execute("do $$ declare p text; begin for p in select relname from pg_class where relname ~"
                + " '^execution_[0-9]{8}$' loop execute 'drop table twinbell.' || p; end loop; end $$");
        upkeep.makePartitions(epoch);
        upkeep.makePartitions(epoch);
        assertEquals(
                10, tasks.number("select count(*) from pg_inherits where inhparent = 'twinbell.execution'::regclass"));
    }

    @Test
    void a_day_with_an_execution_that_has_no_outcome_is_kept() {
        oldDay("RUNNING");
        assertEquals(List.of(), upkeep.dropDays(epoch, 30));
        assertEquals(1, executions());
    }

    @Test
    void a_reader_of_an_old_day_is_waited_for_so_briefly_that_claims_go_on() throws SQLException {
        oldDay("MISSED");
        long task = tasks.insert("t", "{}", now);
        try (Connection reader = database.getConnection();
                DedicatedConnection claims = new DedicatedConnection(a, "claim", 5)) {
            reader.setAutoCommit(false);
            reader.createStatement().execute("select * from twinbell.execution_20200203");
            assertThrows(DatabaseUnavailableException.class, () -> upkeep.dropDays(epoch, 30));
            DecidedSlot claim =
                    new DecidedSlot(task, 1, now, now + 5000, false, DecidedSlot.UNLIMITED, LedgerEntry.claimed(now));
            assertEquals(
                    1,
                    new JdbcLedger(claims, PackedSlots.none())
                            .claim(epoch, 1, List.of(claim))
                            .entered()
                            .size());
            reader.rollback();
        }
        assertEquals(List.of("execution_20200203"), upkeep.dropDays(epoch, 30));
    }

    @Test
    void a_day_that_a_view_uses_does_not_keep_the_later_days() {
        oldDay("MISSED");
        tasks.execute("select twinbell.ensure_partition('2020-02-04')");
        tasks.execute("create view report as select * from twinbell.execution_20200203");
        DatabaseUnavailableException refused =
                assertThrows(DatabaseUnavailableException.class, () -> upkeep.dropDays(epoch, 30));
        assertTrue(refused.getMessage().contains("execution_20200203"), refused.getMessage());
        tasks.assertRows("select to_regclass('twinbell.execution_20200204')", "");
        tasks.execute("drop view report");
        assertEquals(List.of("execution_20200203"), upkeep.dropDays(epoch, 30));
    }

    @Test
    void a_day_that_was_detached_and_not_dropped_is_dropped_the_next_time() {
        oldDay("MISSED");
        tasks.execute("alter table twinbell.execution detach partition twinbell.execution_20200203");
        assertEquals(List.of("execution_20200203"), upkeep.dropDays(epoch, 30));
        tasks.assertRows("select to_regclass('twinbell.execution_20200203')", "");
    }

    @Test
    void rows_without_a_partition_of_their_day_are_deleted_in_batches_unless_unfinished() {
        tasks.execute("insert into twinbell.execution (task_id, fire_time, app, name, state)"
                + " select i, '2020-02-03T04:05:06Z', 'a', 'n', case i when 5 then 'RUNNING' else 'MISSED' end"
                + " from generate_series(1, 25) i");
        assertTrue(upkeep.deleteScattered(epoch, 30, 20), "there is more");
        assertEquals(5, executions());
        assertFalse(upkeep.deleteScattered(epoch, 30, 20));
        tasks.assertRows("select task_id, state from twinbell.execution", "5|RUNNING");
    }

    @Test
    void an_outcome_is_deleted_in_batches_and_only_where_it_is_old_enough() {
        tasks.execute("insert into twinbell.execution (task_id, fire_time, app, name, state)"
                + " select i, twinbell.instant(" + now + " - 3600000 + i), 'a', 'n', (array['SUCCEEDED', 'FAILED',"
                + " 'RUNNING', 'SKIPPED'])[1 + i % 4] from generate_series(0, 99) i");
        long before = now - 3_600_000 + 80;
        LedgerUpkeep.DeletedRows first = upkeep.delete(epoch, LedgerUpkeep.RetentionClass.SUCCEEDED, before, null, 50);
        assertEquals(new LedgerUpkeep.DeletedRows(13, new Slot(49, now - 3_600_000 + 49)), first);
        assertEquals(
                new LedgerUpkeep.DeletedRows(7, null),
                upkeep.delete(epoch, LedgerUpkeep.RetentionClass.SUCCEEDED, before, first.last(), 50));
        tasks.assertRows(
                "select state, count(*) from twinbell.execution group by 1 order by 1",
                "FAILED|25",
                "RUNNING|25",
                "SKIPPED|25",
                "SUCCEEDED|5");
        tasks.assertRows(
                "select what, twinbell.millis(until_fire_time) from twinbell.forgotten", "SUCCEEDED|" + before);
    }

    @Test
    void a_row_that_somebody_holds_is_not_waited_for() throws SQLException {
        tasks.execute("insert into twinbell.execution (task_id, fire_time, app, name, state)"
                + " values (1, twinbell.instant(" + (now - 5000) + "), 'a', 'n', 'FAILED')");
        try (Connection holder = database.getConnection()) {
            holder.setAutoCommit(false);
            holder.createStatement().execute("select * from twinbell.execution for update");
            assertThrows(
                    DatabaseUnavailableException.class,
                    () -> upkeep.delete(epoch, LedgerUpkeep.RetentionClass.FAILED, now, null, 10));
            holder.rollback();
        }
        assertEquals(
                1,
                upkeep.delete(epoch, LedgerUpkeep.RetentionClass.FAILED, now, null, 10)
                        .executions());
    }

    @Test
    void a_superseded_epoch_lets_go_of_nothing() {
        oldDay("MISSED");
        open(1);
        assertEquals(List.of(), upkeep.dropDays(epoch, 30));
        assertFalse(upkeep.deleteScattered(epoch, 30, 20));
        assertEquals(
                new LedgerUpkeep.DeletedRows(0, null),
                upkeep.delete(epoch, LedgerUpkeep.RetentionClass.SKIPPED, now, null, 10));
        assertEquals(1, executions());
    }

    @Test
    void epochs_that_ended_before_twice_the_retention_are_forgotten() {
        tasks.execute("truncate twinbell.epoch_opening; insert into twinbell.epoch_opening (epoch, node, opened_at)"
                + " select epoch, 'a', clock_timestamp() - days * interval '1 day'"
                + " from (values (1, 200), (2, 100), (3, 61), (4, 59), (5, 1)) as opened (epoch, days)");
        assertTrue(upkeep.deleteScattered(epoch, 30, 1), "there is more");
        assertFalse(upkeep.deleteScattered(epoch, 30, 20));
        assertEquals(
                List.of("3", "4", "5"),
                tasks.query("select epoch from twinbell.epoch_opening order by epoch"),
                "the third was open until 59 days ago");
    }

    @Test
    void a_task_that_was_removed_long_ago_is_forgotten_too() {
        tasks.execute("insert into twinbell.removed_task (task_id, app, name, removed_at)"
                + " values (1, 'a', 'old', '2020-02-03'), (2, 'a', 'new', clock_timestamp())");
        upkeep.deleteScattered(epoch, 30, 20);
        tasks.assertRows("select name from twinbell.removed_task", "new");
    }
}
