package io.twinbell.persistence.ledger.claim;

import io.twinbell.persistence.database.DatabaseSettings;
import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.epoch.Epoch;
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
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.postgresql.ds.PGSimpleDataSource;

/** A ledger that claims five or more last slots together in one row. */
abstract class PackedClaimFixture {
    static final int MANY = 5;
    static final String LEDGER = "select name, state, attempt, epoch, node, batch, claimed_at is not null,"
            + " twinbell.millis(started_at), twinbell.millis(ended_at), output from twinbell.execution"
            + " order by task_id, fire_time";
    final PGSimpleDataSource database = TestPostgres.freshDatabase();
    final TestTasks tasks = new TestTasks(database);
    final DatabaseSettings settings = TestSettings.of(database, "a");
    final DedicatedConnection connection = DedicatedConnection.byKey(settings, "test", 5);
    final DedicatedConnection other = DedicatedConnection.byKey(settings, "other", 5);
    final PackedSlots batches = new PackedSlots(MANY);
    final Ledger ledger = new JdbcLedger(connection, batches);
    final Recorder recorder = new JdbcRecorder(connection, batches);
    final RecoveryStore recovery = new JdbcRecoveryStore(connection, new HandTicker());
    final JdbcEpochRegister epochs = new JdbcEpochRegister(settings, connection);
    final Epoch epoch = open(0);
    /** A full hundredth of a second: slots beside the schedule leave these free and take the next millisecond. */
    final long now = tasks.number("select twinbell.now_millis() / 10 * 10");

    final List<Long> ids = new ArrayList<>();

    PackedClaimFixture() {
        for (int i = 0; i < MANY; i++) {
            ids.add(tasks.insert("t" + i, "{}", now));
        }
    }

    Epoch open(long expected) {
        return TestSettings.openEpoch(epochs, settings, expected);
    }

    @AfterEach
    void close() {
        connection.close();
        other.close();
    }

    DecidedSlot claim(long task) {
        return new DecidedSlot(task, 1, now, DecidedSlot.NONE, true, DecidedSlot.UNLIMITED, LedgerEntry.claimed(now));
    }

    ClaimOutcome claimAll() {
        return ledger.claim(epoch, 7, ids.stream().map(this::claim).toList());
    }

    Completion completion(long task, ExecutionState state, String output) {
        return new Completion(
                epoch,
                new Slot(task, now),
                1,
                state,
                new Completion.RunTimes(now * 1000 + 3000, now * 1000 + 4000),
                new Completion.Text(output, null, null),
                Completion.NOT_FOLLOWED);
    }

    Completion success(long task) {
        return completion(task, ExecutionState.SUCCEEDED, null);
    }

    List<Completion> successes() {
        return ids.stream().map(this::success).toList();
    }

    Attempt attempt(long task) {
        return new Attempt(new Slot(task, now), "test", "t", 1, epoch.number(), "a", List.of());
    }

    long open() {
        return tasks.number("select count(*) from twinbell.claim_batch");
    }

    String row(String name, String state) {
        boolean isClaimed = state.equals("CLAIMED");
        return name + "|" + state + "|1|1|a|7|t|" + (isClaimed ? "|" : (now + 3) + "|" + (now + 4)) + "|";
    }

    List<String> states() {
        return tasks.query("select state from twinbell.execution order by task_id, fire_time");
    }
}
