package io.twinbell.persistence.ledger;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.node.upkeep.store.JdbcLedgerUpkeep;
import io.twinbell.node.upkeep.store.LedgerUpkeep;
import io.twinbell.persistence.database.DatabaseSettings;
import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.epoch.EpochRegister;
import io.twinbell.persistence.epoch.JdbcEpochRegister;
import io.twinbell.persistence.ledger.claim.ClaimOutcome;
import io.twinbell.persistence.ledger.claim.DecidedSlot;
import io.twinbell.persistence.ledger.claim.JdbcLedger;
import io.twinbell.persistence.ledger.claim.Ledger;
import io.twinbell.persistence.ledger.record.JdbcRecorder;
import io.twinbell.persistence.ledger.recovery.JdbcRecoveryStore;
import io.twinbell.persistence.ledger.recovery.RecoveryStore;
import io.twinbell.persistence.ledger.recovery.StalledTask;
import io.twinbell.persistence.testing.HandTicker;
import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestSettings;
import io.twinbell.persistence.testing.TestTasks;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** How claims count runs, and how tasks finish. */
class RunCountTest {
    private static final String TWO_DAYS_AGO = "finished_at = clock_timestamp() - interval '2 days'";
    private static final long A_DAY = 86_400_000;

    private final PGSimpleDataSource database = TestPostgres.freshDatabase();
    private final TestTasks tasks = new TestTasks(database);
    private final DatabaseSettings a = TestSettings.of(database, "a");

    @AutoClose
    private final DedicatedConnection connection = new DedicatedConnection(a, "test", 5);

    private final EpochRegister register = new JdbcEpochRegister(a, connection);
    private final Ledger ledger = new JdbcLedger(connection, PackedSlots.none());
    private final RecoveryStore recovery = new JdbcRecoveryStore(connection, new HandTicker());
    private final LedgerUpkeep upkeep = new JdbcLedgerUpkeep(connection);
    private final Epoch epoch = open(0);
    private final long now = tasks.number("select twinbell.now_millis()");
    private final long task = tasks.insert("t", "{}", now);

    @Test
    void the_claim_that_reaches_the_count_finishes_the_task_in_the_same_statement() {
        ClaimOutcome first = claim(now, 2, LedgerEntry.claimed(now));
        assertEquals(Set.of(), first.exhausted());
        assertEquals("ACTIVE|1|" + (now + 5000), state());
        ClaimOutcome second = claim(now + 5000, 2, LedgerEntry.claimed(now + 5000));
        assertEquals(Set.of(task), second.exhausted());
        assertEquals(Set.of(task), second.entered());
        assertEquals("FINISHED|2|", state());
    }

    @Test
    void a_slot_that_is_in_the_ledger_already_does_not_count() {
        tasks.execute("insert into twinbell.execution (task_id, fire_time, app, name, state) values (" + task
                + ", twinbell.instant(" + now + "), 'test', 't', 'SUCCEEDED')");
        assertEquals(Set.of(), claim(now, 1, LedgerEntry.claimed(now)).entered());
        assertEquals("ACTIVE|0|" + (now + 5000), state());
    }

    @Test
    void slots_that_are_missed_or_skipped_do_not_count() {
        claim(now, 1, LedgerEntry.withoutRun(ExecutionState.MISSED, now, "late"));
        claim(now + 5000, 1, LedgerEntry.withoutRun(ExecutionState.SKIPPED, now + 5000, "paused"));
        assertEquals("ACTIVE|0|" + (now + 10_000), state());
    }

    @Test
    void a_superseded_epoch_counts_nothing() {
        open(1);
        assertFalse(claim(now, 1, LedgerEntry.claimed(now)).authorised());
        assertEquals("ACTIVE|0|" + now, state());
    }

    @Test
    void a_slot_handed_back_and_reclaimed_counts_once() {
        claim(now, 5, LedgerEntry.claimed(now));
        Attempt attempt = new Attempt(new Slot(task, now), "test", "t", 1, epoch.number(), "a", List.of());
        assertTrue(ledger.handBack(epoch, List.of(attempt)));
        assertEquals(
                1,
                ledger.claimWaiting(epoch, 2, new Ledger.DueBounds(now, now), 10)
                        .size());
        assertEquals("ACTIVE|1|" + (now + 5000), state());
    }

    @Test
    void the_end_of_its_last_run_does_not_set_a_finished_task_going_again() {
        ledger.claim(
                epoch, 1, List.of(new DecidedSlot(task, 1, now, DecidedSlot.NONE, false, 1, LedgerEntry.claimed(now))));
        Completion.RunTimes times = new Completion.RunTimes(now * 1000, now * 1000 + 1000);
        new JdbcRecorder(connection, PackedSlots.none())
                .record(
                        epoch,
                        List.of(new Completion(
                                epoch,
                                new Slot(task, now),
                                1,
                                ExecutionState.SUCCEEDED,
                                times,
                                Completion.Text.NONE,
                                now + 5000)));
        recovery.restart(epoch, java.util.Map.of(task, now + 5000));
        assertEquals(List.of(), recovery.stalled(StalledTask.FROM_THE_FIRST, 10).tasks());
        assertEquals("FINISHED|1|", state());
    }

    @Test
    void the_slot_that_counts_as_claimed_from_the_beginning_runs_nothing() {
        tasks.execute("update twinbell.task_state set previous_fire_time = next_fire_time");
        ClaimOutcome outcome = claim(now, 9, LedgerEntry.claimed(now));
        assertEquals(Set.of(task), outcome.advanced());
        assertEquals(Set.of(), outcome.entered());
        assertEquals("ACTIVE|0|" + (now + 5000), state());
    }

    @Test
    void the_instant_of_the_finish_is_noted_whoever_finishes_and_forgotten_when_it_goes_on() {
        assertEquals(0, finishes());
        claim(now, 1, LedgerEntry.claimed(now));
        assertEquals(1, finishes());
        tasks.execute("update twinbell.task_state set state = 'ACTIVE'");
        assertEquals(0, finishes());
        tasks.execute("update twinbell.task_state set state = 'FINISHED'");
        assertEquals(1, finishes());
    }

    private long finishes() {
        return tasks.number("select count(finished_at) from twinbell.task_state");
    }

    @Test
    void tasks_that_have_long_been_finished_are_removed_and_their_executions_stay() {
        claim(now, 1, LedgerEntry.claimed(now));
        tasks.execute("update twinbell.execution set state = 'SUCCEEDED'");
        assertEquals(0, upkeep.removeFinished(epoch, A_DAY, 500), "it is not old yet");
        tasks.execute("update twinbell.task_state set " + TWO_DAYS_AGO);
        assertEquals(1, upkeep.removeFinished(epoch, A_DAY, 500));
        assertEquals(0, tasks.number("select count(*) from twinbell.task"));
        assertEquals(1, tasks.number("select count(*) from twinbell.execution"));
    }

    @Test
    void only_the_current_epoch_removes_and_only_what_is_finished() {
        tasks.execute("update twinbell.task_state set " + TWO_DAYS_AGO);
        assertEquals(0, upkeep.removeFinished(epoch, A_DAY, 500), "it is ACTIVE");
        finished();
        Epoch next = open(1);
        assertEquals(0, upkeep.removeFinished(epoch, A_DAY, 500), "superseded");
        assertEquals(1, upkeep.removeFinished(next, A_DAY, 500));
    }

    @Test
    void a_finished_task_stays_while_an_execution_of_it_is_unfinished() {
        claim(now, 1, LedgerEntry.claimed(now));
        finished();
        for (String state : List.of("PENDING", "CLAIMED", "RUNNING", "RETRYING")) {
            tasks.execute("update twinbell.execution set state = '" + state + "'");
            assertEquals(0, upkeep.removeFinished(epoch, A_DAY, 500), state);
        }
        tasks.execute("update twinbell.execution set state = 'FAILED'");
        assertEquals(1, upkeep.removeFinished(epoch, A_DAY, 500));
    }

    @Test
    void tasks_are_removed_a_batch_at_a_time_and_a_row_that_somebody_holds_keeps_no_other() throws SQLException {
        for (int i = 0; i < 7; i++) {
            tasks.insert("t" + i, "{}", now);
        }
        finished();
        try (Connection application = database.getConnection();
                var statement = application.createStatement()) {
            application.setAutoCommit(false);
            statement.execute("select * from twinbell.task where id = " + task + " for update");
            assertEquals(4, upkeep.removeFinished(epoch, A_DAY, 5));
            assertEquals(3, upkeep.removeFinished(epoch, A_DAY, 5));
            assertEquals(0, upkeep.removeFinished(epoch, A_DAY, 5));
            application.rollback();
        }
        assertEquals(1, upkeep.removeFinished(epoch, A_DAY, 5));
    }

    @Test
    void a_time_that_no_node_could_read_is_refused_and_a_finer_one_is_rounded() {
        for (String time : List.of("infinity", "-infinity", "9999-01-01T00:00:00Z", "1969-12-31T23:59:59Z")) {
            for (String column : List.of("next_fire_time", "previous_fire_time")) {
                assertThrows(
                        IllegalStateException.class,
                        () -> tasks.execute("update twinbell.task_state set " + column + " = '" + time + "'"));
            }
        }
        tasks.execute("update twinbell.task_state set next_fire_time = '2026-11-21T00:00:00.123456Z'");
        long stored = tasks.number("select twinbell.millis(next_fire_time) from twinbell.task_state");
        ClaimOutcome outcome = ledger.claim(
                epoch,
                1,
                List.of(new DecidedSlot(
                        task, 1, stored, stored + 1, false, DecidedSlot.UNLIMITED, LedgerEntry.claimed(stored))));
        assertEquals(Set.of(task), outcome.entered());
    }

    private void finished() {
        tasks.execute("update twinbell.task_state set state = 'FINISHED'");
        tasks.execute("update twinbell.task_state set " + TWO_DAYS_AGO);
    }

    private ClaimOutcome claim(long fire, long maxRuns, LedgerEntry entry) {
        return ledger.claim(epoch, 1, List.of(new DecidedSlot(task, 1, fire, fire + 5000, false, maxRuns, entry)));
    }

    private String state() {
        return tasks.row("select state, runs, twinbell.millis(next_fire_time) from twinbell.task_state");
    }

    private Epoch open(long expected) {
        return TestSettings.openEpoch(register, a, expected);
    }
}
