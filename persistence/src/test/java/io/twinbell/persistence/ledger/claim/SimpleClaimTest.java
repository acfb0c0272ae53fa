package io.twinbell.persistence.ledger.claim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.persistence.database.DatabaseSettings;
import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.epoch.JdbcEpochRegister;
import io.twinbell.persistence.ledger.ExecutionState;
import io.twinbell.persistence.ledger.LedgerEntry;
import io.twinbell.persistence.ledger.PackedSlots;
import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestSettings;
import io.twinbell.persistence.testing.TestTasks;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** Obstacles in a batch are skipped, and the rest of the batch is claimed all the same. */
class SimpleClaimTest {
    private final PGSimpleDataSource database = TestPostgres.freshDatabase();
    private final TestTasks tasks = new TestTasks(database);
    private final DatabaseSettings settings = TestSettings.of(database, "a");

    @AutoClose
    private final DedicatedConnection connection = DedicatedConnection.byKey(settings, "test", 5);

    private final Ledger ledger = new JdbcLedger(connection, PackedSlots.none());
    private final Epoch epoch = epoch();
    private final long now = tasks.number("select twinbell.now_millis()");
    private final long first = tasks.insert("first", "{}", now);
    private final long second = tasks.insert("second", "{}", now);

    private Epoch epoch() {
        return TestSettings.openEpoch(new JdbcEpochRegister(settings, connection), settings, 0);
    }

    @Test
    void claims_in_any_order() {
        ClaimOutcome outcome = ledger.claim(epoch, 1, List.of(claim(second), claim(first)));
        assertEquals(new ClaimOutcome(true, Set.of(first, second), Set.of(first, second), Set.of()), outcome);
        tasks.assertRows(
                "select name, state, epoch, node, batch from twinbell.execution order by task_id",
                "first|CLAIMED|1|a|1",
                "second|CLAIMED|1|a|1");
        tasks.assertRows(
                "select twinbell.millis(next_fire_time), twinbell.millis(previous_fire_time), runs,"
                        + " off_schedule, state, finished_at from twinbell.task_state",
                now + 5000 + "|" + now + "|1|f|ACTIVE|",
                now + 5000 + "|" + now + "|1|f|ACTIVE|");
    }

    @Test
    void the_plain_statement_alone_changes_nothing_where_a_slot_is_in_the_ledger() {
        enter(first, now, "SUCCEEDED");
        assertNull(plainly(claim(first), claim(second)));
        tasks.assertRows("select state from twinbell.execution", "SUCCEEDED");
        assertEquals(now, next(first));
        assertEquals(now, next(second));
    }

    @Test
    void the_plain_statement_alone_claims_what_is_in_nobodys_hands_and_tells_what_it_was() throws SQLException {
        try (Connection application = database.getConnection()) {
            application.setAutoCommit(false);
            try (var statement = application.createStatement()) {
                statement.execute("select * from twinbell.task_state where task_id = " + first + " for update");
                assertEquals(
                        new ClaimOutcome(true, Set.of(second), Set.of(second), Set.of()),
                        plainly(claim(first), claim(second)));
                assertEquals(new ClaimOutcome(true, Set.of(), Set.of(), Set.of()), plainly(claim(first)));
            }
            application.rollback();
        }
    }

    @Test
    void limited_merged_and_empty_claims_are_not_plain() {
        assertTrue(SimpleClaim.isPlain(claim(first)));
        LedgerEntry claimed = LedgerEntry.claimed(now);
        assertFalse(SimpleClaim.isPlain(new DecidedSlot(first, 1, now, DecidedSlot.NONE, false, 3, claimed)));
        for (LedgerEntry other : List.of(
                LedgerEntry.none(now, "none"),
                LedgerEntry.withoutRun(ExecutionState.MISSED, now, "too late"),
                new LedgerEntry(ExecutionState.CLAIMED, now, 2, now, null))) {
            assertFalse(SimpleClaim.isPlain(
                    new DecidedSlot(first, 1, now, DecidedSlot.NONE, false, DecidedSlot.UNLIMITED, other)));
        }
    }

    @Test
    void claims_of_one_batch_are_told_together_and_an_epoch_that_ended_in_between_is_over() {
        ClaimOutcome one = new ClaimOutcome(true, Set.of(1L), Set.of(1L), Set.of());
        ClaimOutcome other = new ClaimOutcome(true, Set.of(2L), Set.of(), Set.of(2L));
        assertEquals(new ClaimOutcome(true, Set.of(1L, 2L), Set.of(1L), Set.of(2L)), one.and(other));
        assertEquals(new ClaimOutcome(false, Set.of(1L), Set.of(1L), Set.of()), one.and(ClaimOutcome.FENCED));
    }

    @Test
    void a_slot_that_is_in_the_ledger_keeps_no_other_from_being_claimed() {
        enter(first, now, "SUCCEEDED");
        ClaimOutcome outcome = ledger.claim(epoch, 1, List.of(claim(first), claim(second)));
        assertEquals(new ClaimOutcome(true, Set.of(first, second), Set.of(second), Set.of()), outcome);
        tasks.assertRows(
                "select name, e.state, runs from twinbell.execution e join twinbell.task_state s"
                        + " using (task_id) order by task_id",
                "first|SUCCEEDED|0",
                "second|CLAIMED|1");
        assertEquals(now + 5000, next(first));
    }

    @Test
    void a_slot_that_counts_as_claimed_from_the_beginning_runs_nothing() {
        tasks.execute("update twinbell.task_state set previous_fire_time = next_fire_time where task_id = " + first);
        ClaimOutcome outcome = ledger.claim(epoch, 1, List.of(claim(first), claim(second)));
        assertEquals(new ClaimOutcome(true, Set.of(first, second), Set.of(second), Set.of()), outcome);
        assertEquals(now + 5000, next(first));
        assertEquals(1, tasks.number("select count(*) from twinbell.execution"));
    }

    @Test
    void one_that_was_edited_or_removed_meanwhile_is_left_alone() {
        long removed = tasks.insert("removed", "{}", now);
        tasks.execute("delete from twinbell.task where id = " + removed);
        tasks.execute("update twinbell.task_state set version = 2 where task_id = " + first);
        ClaimOutcome outcome = ledger.claim(epoch, 1, List.of(claim(first), claim(removed), claim(second)));
        assertEquals(new ClaimOutcome(true, Set.of(second), Set.of(second), Set.of()), outcome);
        assertEquals(now, next(first));
    }

    @Test
    void rows_that_applications_hold_are_passed_over_each_time() throws SQLException {
        try (Connection application = database.getConnection()) {
            application.setAutoCommit(false);
            try (var statement = application.createStatement()) {
                statement.execute("select * from twinbell.task_state where task_id = " + first + " for update");
                for (int time = 0; time < 3; time++) {
                    long later = tasks.insert("later" + time, "{}", now);
                    ClaimOutcome outcome = ledger.claim(epoch, time, List.of(claim(first), claim(later)));
                    assertEquals(new ClaimOutcome(true, Set.of(later), Set.of(later), Set.of()), outcome);
                }
            }
            application.rollback();
        }
        assertEquals(
                Set.of(first), ledger.claim(epoch, 4, List.of(claim(first))).advanced());
    }

    @Test
    void two_batches_of_the_same_tasks_claim_each_once() throws InterruptedException {
        List<DecidedSlot> claims = new ArrayList<>();
        for (int i = 0; i < 500; i++) {
            claims.add(claim(tasks.insert("many" + i, "{}", now)));
        }
        List<DecidedSlot> backwards = new ArrayList<>(claims);
        Collections.reverse(backwards);
        List<Set<Long>> entered = Collections.synchronizedList(new ArrayList<>());
        DedicatedConnection other = new DedicatedConnection(settings, "other", 5);
        Thread thread = new Thread(() -> entered.add(new JdbcLedger(other, PackedSlots.none())
                .claim(epoch, 2, backwards)
                .entered()));
        thread.start();
        entered.add(ledger.claim(epoch, 1, claims).entered());
        thread.join();
        other.close();
        assertEquals(500, entered.get(0).size() + entered.get(1).size());
        assertEquals(500, tasks.number("select sum(runs) from twinbell.task_state where task_id > " + second));
    }

    private ClaimOutcome plainly(DecidedSlot... claims) {
        return connection.run(c -> SimpleClaim.claim(c, epoch, 1, List.of(claims)));
    }

    private DecidedSlot claim(long task) {
        return new DecidedSlot(task, 1, now, now + 5000, false, DecidedSlot.UNLIMITED, LedgerEntry.claimed(now));
    }

    private void enter(long task, long fireMillis, String state) {
        tasks.execute("insert into twinbell.execution (task_id, fire_time, app, name, state) values (" + task
                + ", twinbell.instant(" + fireMillis + "), 'test', 'first', '" + state + "')");
    }

    private long next(long task) {
        return tasks.number("select twinbell.millis(next_fire_time) from twinbell.task_state where task_id = " + task);
    }
}
