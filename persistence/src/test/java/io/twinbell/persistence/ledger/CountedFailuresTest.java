package io.twinbell.persistence.ledger;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.twinbell.persistence.database.DatabaseSettings;
import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.epoch.EpochRegister;
import io.twinbell.persistence.epoch.JdbcEpochRegister;
import io.twinbell.persistence.ledger.claim.DecidedSlot;
import io.twinbell.persistence.ledger.claim.JdbcLedger;
import io.twinbell.persistence.ledger.record.JdbcRecorder;
import io.twinbell.persistence.ledger.record.Recorder;
import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestSettings;
import io.twinbell.persistence.testing.TestTasks;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** A batch in which the failures of some tasks are counted. */
class CountedFailuresTest {
    private static final int TASKS = 90;

    private final PGSimpleDataSource database = TestPostgres.freshDatabase();
    private final TestTasks tasks = new TestTasks(database);
    private final DatabaseSettings settings = TestSettings.of(database, "a");

    @AutoClose
    private final DedicatedConnection connection = DedicatedConnection.byKey(settings, "test", 5);

    private final EpochRegister register = new JdbcEpochRegister(settings, connection);
    private final Recorder recorder = new JdbcRecorder(connection, PackedSlots.none());
    private final long now = tasks.number("select twinbell.now_millis()");
    private final Epoch epoch = open(0);
    private final List<Completion> batch = claimedAndFailed();

    private Epoch open(long expected) {
        return TestSettings.openEpoch(register, settings, expected);
    }

    /** Claims and fails a batch in which every second task counts its failures. */
    private List<Completion> claimedAndFailed() {
        List<DecidedSlot> claims = new ArrayList<>();
        List<Completion> completions = new ArrayList<>();
        for (int i = 0; i < TASKS; i++) {
            long task = tasks.insert("t" + i, "{}", now);
            claims.add(new DecidedSlot(task, 1, now, now + 9, false, DecidedSlot.UNLIMITED, LedgerEntry.claimed(now)));
            completions.add(new Completion(
                    epoch,
                    new Slot(task, now),
                    1,
                    ExecutionState.FAILED,
                    new Completion.RunTimes(now * 1000, now * 1000),
                    Completion.Text.NONE,
                    Completion.NOT_FOLLOWED,
                    null,
                    i % 2 == 0 ? 0 : 1 + i % 4));
        }
        new JdbcLedger(connection, PackedSlots.none()).claim(epoch, 1, claims);
        return completions;
    }

    @Test
    void all_are_recorded_and_the_others_in_one_statement() {
        assertEquals(List.of(), recorder.record(epoch, batch));
        tasks.assertRows("select state, count(*) from twinbell.execution group by state", "FAILED|90");
        assertEquals(
                List.of("5", "10", "10", "10", "10", "45"),
                tasks.query("select count(*) from twinbell.execution group by changed order by 1"),
                "rows of one transaction");
        tasks.assertRows("select failures, count(*) from twinbell.failure_streak group by failures", "1|45");
    }

    @Test
    void a_repeated_statement_is_not_counted_again() {
        recorder.record(epoch, batch);
        recorder.record(epoch, batch);
        assertEquals(1, tasks.number("select max(failures) from twinbell.failure_streak"));
    }

    @Test
    void a_superseded_epoch_records_and_counts_none() {
        open(epoch.number());
        assertEquals(Set.copyOf(batch), Set.copyOf(recorder.record(epoch, batch)));
        assertEquals(0, tasks.number("select count(*) from twinbell.failure_streak"));
        assertEquals(0, tasks.number("select count(*) from twinbell.execution where state = 'FAILED'"));
    }

    /** A session behind a pooler has got its limits after its start. */
    @Test
    void a_hurried_recorder_leaves_the_limits_of_its_session_as_they_were() {
        connection.run(c -> {
            try (Statement statement = c.createStatement()) {
                return statement.execute("set statement_timeout = 43210; set lock_timeout = 1230");
            }
        });
        recorder.hurried().record(epoch, batch);
        String limits = connection.run(c -> {
            try (Statement statement = c.createStatement();
                    ResultSet row = statement.executeQuery(
                            "select current_setting('statement_timeout') || ' ' || current_setting('lock_timeout')")) {
                row.next();
                return row.getString(1);
            }
        });
        assertEquals("43210ms 1230ms", limits);
    }
}
