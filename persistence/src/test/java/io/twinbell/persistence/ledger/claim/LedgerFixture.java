package io.twinbell.persistence.ledger.claim;

import io.twinbell.persistence.database.DatabaseSettings;
import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.epoch.EpochRegister;
import io.twinbell.persistence.epoch.JdbcEpochRegister;
import io.twinbell.persistence.ledger.Attempt;
import io.twinbell.persistence.ledger.Completion;
import io.twinbell.persistence.ledger.ExecutionState;
import io.twinbell.persistence.ledger.LedgerEntry;
import io.twinbell.persistence.ledger.PackedSlots;
import io.twinbell.persistence.ledger.Slot;
import io.twinbell.persistence.ledger.record.JdbcRecorder;
import io.twinbell.persistence.ledger.record.Recorder;
import io.twinbell.persistence.ledger.recovery.JdbcRecoveryStore;
import io.twinbell.persistence.ledger.recovery.RecoveryStore;
import io.twinbell.persistence.testing.HandTicker;
import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestSettings;
import io.twinbell.persistence.testing.TestTasks;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.postgresql.ds.PGSimpleDataSource;

/** A real ledger with one epoch, and short forms of claims and completions. */
abstract class LedgerFixture {
    final PGSimpleDataSource database = TestPostgres.freshDatabase();
    final TestTasks tasks = new TestTasks(database);
    final DatabaseSettings a = TestSettings.of(database, "a");

    @AutoClose
    final DedicatedConnection connection = new DedicatedConnection(a, "test", 5);

    final EpochRegister register = new JdbcEpochRegister(a, connection);
    final Ledger ledger = new JdbcLedger(connection, PackedSlots.none());
    final Recorder recorder = new JdbcRecorder(connection, PackedSlots.none());
    final RecoveryStore recovery = new JdbcRecoveryStore(connection, new HandTicker());
    final Epoch epoch = open(0);
    /** A fire time of today, so that it has a partition. */
    final long now = tasks.number("select twinbell.now_millis()");

    Attempt attempt(long task, int number) {
        return new Attempt(new Slot(task, now), "app", "name", number, epoch.number(), "a", List.of());
    }

    Ledger.DueBounds due() {
        return new Ledger.DueBounds(now + 1000, now + 1000);
    }

    Epoch open(long expected) {
        return TestSettings.openEpoch(register, a, expected);
    }

    static DecidedSlot claim(long task, long fire, long next) {
        return new DecidedSlot(task, 1, fire, next, false, DecidedSlot.UNLIMITED, LedgerEntry.claimed(fire));
    }

    Completion success(long task, String output) {
        return completion(task, ExecutionState.SUCCEEDED, new Completion.Text(output, null, null), Long.MAX_VALUE);
    }

    Completion completion(long task, ExecutionState state, Completion.Text text, long next) {
        return new Completion(
                epoch,
                new Slot(task, now),
                1,
                state,
                new Completion.RunTimes(now * 1000, now * 1000 + 1000),
                text,
                next);
    }
}
