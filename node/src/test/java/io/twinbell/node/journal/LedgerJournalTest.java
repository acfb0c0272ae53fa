package io.twinbell.node.journal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.persistence.database.DatabaseSettings;
import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.database.ServerHistory.Position;
import io.twinbell.persistence.epoch.Claimant;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.epoch.JdbcEpochRegister;
import io.twinbell.persistence.ledger.Attempt;
import io.twinbell.persistence.ledger.Completion;
import io.twinbell.persistence.ledger.ExecutionState;
import io.twinbell.persistence.ledger.LedgerEntry;
import io.twinbell.persistence.ledger.PackedSlots;
import io.twinbell.persistence.ledger.Slot;
import io.twinbell.persistence.ledger.claim.DecidedSlot;
import io.twinbell.persistence.ledger.claim.JdbcLedger;
import io.twinbell.persistence.ledger.claim.Ledger;
import io.twinbell.persistence.ledger.record.JdbcRecorder;
import io.twinbell.persistence.ledger.record.OverlapQueue;
import io.twinbell.persistence.ledger.record.Recorder;
import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestSettings;
import io.twinbell.persistence.testing.TestTasks;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

/** The same database stands for the promoted server: a test removes from it what a replica would lack. */
class LedgerJournalTest {
    private static final String ROWS =
            "select state, attempt, epoch, node, reason from twinbell.execution order by fire_time";

    private final PGSimpleDataSource database = TestPostgres.freshDatabase();
    private final TestTasks tasks = new TestTasks(database);
    private final DatabaseSettings settings = TestSettings.of(database, "a");

    @AutoClose
    private final DedicatedConnection connection = new DedicatedConnection(settings, "test", 5);

    private final AtomicLong nanos = new AtomicLong();
    private final LedgerJournal journal = new LedgerJournal(settings.servers(), nanos::get);
    private final Ledger ledger = new JdbcLedger(connection, PackedSlots.none());
    private final Recorder recorder = new JdbcRecorder(connection, PackedSlots.none());
    private final Epoch epoch = open(0);
    /** A fire time of today, so that it has a partition. */
    private final long now = tasks.number("select twinbell.now_millis()");

    private final long task = tasks.insert("t", "{}", now);

    @Test
    void a_claim_and_its_outcome_are_entered_again_and_named() {
        claim(now);
        record(now, 1, ExecutionState.SUCCEEDED, null);
        lose("delete from twinbell.execution");
        arrive();
        tasks.assertRows(ROWS, "SUCCEEDED|1|1|a|" + LostCommitReplay.REASON);
        tasks.assertRows(
                "select epoch, node, slots, replace(named::text, '\"', '') from twinbell.lost_history",
                "1|a|1|{" + new Slot(task, now).idempotencyKey() + "}");
    }

    @Test
    void an_outcome_whose_claim_is_there_is_entered_again() {
        claim(now);
        record(now, 1, ExecutionState.FAILED, null);
        lose("update twinbell.execution set state = 'CLAIMED', ended_at = null");
        arrive();
        tasks.assertRows(ROWS, "FAILED|1|1|a|");
        assertEquals(1, tasks.number("select sum(slots) from twinbell.lost_history"));
    }

    @Test
    void an_existing_object_stays_and_is_not_named() {
        claim(now);
        record(now, 1, ExecutionState.SUCCEEDED, null);
        claim(now + 1000);
        lose("select 1");
        arrive();
        tasks.assertRows(ROWS, "SUCCEEDED|1|1|a|", "CLAIMED|1|1|a|");
        assertEquals(0, tasks.number("select count(*) from twinbell.lost_history"));
    }

    @Test
    void each_attempt_is_entered_again_up_to_the_one_that_runs() {
        claim(now);
        record(now, 1, ExecutionState.RETRYING, new Completion.NextAttempt(now + 10, ExecutionState.FAILED));
        List<Attempt> again = ledger.claimWaiting(epoch, 9, new Ledger.DueBounds(now + 1000, now + 1000), 10);
        assertEquals(2, again.get(0).attempt());
        again.forEach(attempt -> journal.add(new LedgerJournal.JournalEvent.ClaimEvent(epoch, attempt, now)));
        lose("delete from twinbell.execution");
        arrive();
        tasks.assertRows(ROWS, "CLAIMED|2|1|a|" + LostCommitReplay.REASON);
        assertEquals(1, tasks.number("select jsonb_array_length(attempts) from twinbell.execution"));
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {"TRIGGERED, -", "CHAINED, -", "BACKFILLED, -", "CAUGHT_UP, 2", "-, 1", "-, -"})
    void a_waiting_row_is_entered_again_with_its_origin_and_reruns(String origin, Integer reruns) {
        tasks.execute(
                "insert into twinbell.execution (task_id, fire_time, app, name, origin, reruns, in_turn, state, attempt)"
                        + " values (" + task + ", twinbell.instant(" + now + "), 'test', 't', "
                        + (origin == null ? "null" : "'" + origin + "'") + ", " + reruns + ", true, 'PENDING', 1)");
        List<Attempt> waiting = ledger.claimWaiting(epoch, 9, new Ledger.DueBounds(now + 1000, now + 1000), 10);
        assertEquals(1, waiting.size());
        journal.add(new LedgerJournal.JournalEvent.ClaimEvent(epoch, waiting.get(0), now));
        lose("delete from twinbell.execution");
        arrive();
        tasks.assertRows(
                "select state, coalesce(origin, 'null'), coalesce(reruns::text, 'null')" + " from twinbell.execution",
                "CLAIMED|" + origin + "|" + reruns);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "-", textBlock = """
            TRIGGERED | {"a": 2} | -              | {"a": 2}
            CHAINED   | -        | {"of": "p"} | {"a": 1, "parent": {"of": "p"}}
            CHAINED   | 7        | {"of": "p"} | {"value": 7, "parent": {"of": "p"}}
            """)
    void a_run_that_is_entered_again_keeps_its_data_for_the_next_attempt(
            String origin, String data, String parent, String expected) {
        tasks.execute("update twinbell.full_task set definition = definition || '{\"data\": {\"a\": 1}}'");
        tasks.execute("insert into twinbell.execution (task_id, fire_time, app, name, origin, data, parent, in_turn,"
                + " state, attempt) values (" + task + ", twinbell.instant(" + now + "), 'test', 't', '" + origin
                + "', "
                + quoted(data) + ", " + quoted(parent) + ", true, 'PENDING', 1)");
        List<Attempt> waiting = ledger.claimWaiting(epoch, 9, new Ledger.DueBounds(now + 1000, now + 1000), 10);
        journal.add(new LedgerJournal.JournalEvent.ClaimEvent(epoch, waiting.get(0), now));
        lose("delete from twinbell.execution");
        arrive();
        tasks.assertRows(
                "select in_turn, twinbell.run_definition(t.definition, e.parent, e.data) -> 'data' = '" + expected
                        + "', coalesce(e.parent::text, 'null') from twinbell.execution e,"
                        + " twinbell.full_task t where t.id = e.task_id",
                "t|t|" + (parent == null ? "null" : parent));
    }

    private static String quoted(String json) {
        return json == null ? "null" : "'" + json + "'";
    }

    /** Otherwise its expiry would not apply any more, and it would count as a rerun. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "delete from twinbell.execution",
                "update twinbell.execution set state = 'PENDING', epoch = null, node = null, claimed_at = null"
            })
    void a_slot_that_waited_in_the_queue_of_its_task_is_still_a_queued_one(String loss) {
        tasks.execute("insert into twinbell.execution (task_id, fire_time, app, name, in_turn, queued, state, attempt)"
                + " values (" + task + ", twinbell.instant(" + now + "), 'test', 't', true, true, 'PENDING', 1)");
        List<Attempt> waiting = ledger.claimWaiting(epoch, 9, new Ledger.DueBounds(now + 1000, now + 1000), 10);
        journal.add(new LedgerJournal.JournalEvent.ClaimEvent(epoch, waiting.get(0), now));
        lose(loss);
        arrive();
        tasks.assertRows("select state, in_turn, queued from twinbell.execution", "CLAIMED|t|t");
    }

    /** The replica has the first attempt, and lacks its rerun. */
    @Test
    void a_rerun_that_is_entered_again_is_counted_as_one() {
        claim(now);
        Attempt rerun = new Attempt(
                new Slot(task, now),
                "test",
                "t",
                2,
                epoch.number(),
                "a",
                null,
                true,
                List.of(),
                Attempt.Snoozes.NONE,
                new Attempt.Origin(null, 1));
        journal.add(new LedgerJournal.JournalEvent.ClaimEvent(epoch, rerun, now));
        lose("update twinbell.execution set state = 'FAILED', ended_at = clock_timestamp()");
        arrive();
        tasks.assertRows("select attempt, reruns from twinbell.execution", "2|1");
    }

    @Test
    void an_attempt_that_was_given_back_is_left_to_be_claimed_again() {
        claim(now);
        journal.add(new LedgerJournal.JournalEvent.ReturnEvent(epoch, new Slot(task, now), 1));
        lose("delete from twinbell.execution");
        arrive();
        assertEquals(List.of(), tasks.query(ROWS));
    }

    /** The replica has the queueing, whose answer was lost, and lacks what came after. */
    @Test
    void a_claim_that_was_queued_without_an_answer_can_be_queued_again() {
        OverlapQueue queueing = new OverlapQueue(new Slot(task, now), 1, 3);
        claim(now);
        assertTrue(recorder.queue(epoch, List.of(queueing)));
        claim(now + 1000);
        lose("delete from twinbell.execution where state = 'CLAIMED'");
        arrive();
        try (DedicatedConnection promoted = new DedicatedConnection(TestSettings.of(database, "a"), "test", 5)) {
            assertTrue(new JdbcRecorder(promoted, PackedSlots.none()).queue(epoch, List.of(queueing)));
        }
        tasks.assertRows("select state from twinbell.execution order by fire_time", "PENDING", "CLAIMED");
    }

    @Test
    void runs_that_are_entered_again_count_where_a_task_has_a_most() {
        tasks.execute("update twinbell.full_task set definition = definition || '{\"maxRuns\": 5}'");
        tasks.execute("update twinbell.task_state set runs = 2, version = 1");
        claim(now);
        lose("delete from twinbell.execution; update twinbell.task_state set runs = 2");
        arrive();
        assertEquals(3, tasks.number("select runs from twinbell.task_state"));
    }

    @Test
    void a_superseded_epoch_enters_nothing() {
        claim(now);
        record(now, 1, ExecutionState.SUCCEEDED, null);
        open(1);
        lose("delete from twinbell.execution");
        arrive();
        assertEquals(List.of(), tasks.query(ROWS));
        assertEquals(0, tasks.number("select count(*) from twinbell.lost_history"));
    }

    @Test
    void it_is_done_once_for_each_promotion() {
        claim(now);
        lose("delete from twinbell.execution");
        arrive();
        tasks.execute("delete from twinbell.execution");
        arrive();
        assertEquals(List.of(), tasks.query(ROWS));
    }

    @Test
    void an_entry_older_than_five_minutes_is_forgotten() {
        claim(now);
        nanos.addAndGet(301_000_000_000L);
        claim(now + 1000);
        lose("delete from twinbell.execution");
        arrive();
        assertEquals(1, tasks.number("select count(*) from twinbell.execution"));
    }

    @Test
    void nothing_is_kept_without_a_replica() {
        journal.findReplicas(connection);
        assertFalse(journal.isKept());
    }

    private void claim(long fireMillis) {
        tasks.execute("update twinbell.task_state set next_fire_time = twinbell.instant(" + fireMillis + ")");
        DecidedSlot claim = new DecidedSlot(
                task, 1, fireMillis, fireMillis + 1000, false, DecidedSlot.UNLIMITED, LedgerEntry.claimed(fireMillis));
        assertEquals(1, ledger.claim(epoch, 1, List.of(claim)).entered().size());
        Attempt attempt = new Attempt(new Slot(task, fireMillis), "test", "t", 1, epoch.number(), "a", List.of());
        journal.add(new LedgerJournal.JournalEvent.ClaimEvent(epoch, attempt, now));
    }

    private void record(long fireMillis, int attempt, ExecutionState state, Completion.NextAttempt retry) {
        Completion completion = new Completion(
                epoch,
                new Slot(task, fireMillis),
                attempt,
                state,
                new Completion.RunTimes(fireMillis * 1000, fireMillis * 1000 + 1),
                Completion.Text.NONE,
                Completion.NOT_FOLLOWED,
                retry,
                0);
        recorder.record(epoch, List.of(completion));
        journal.add(new LedgerJournal.JournalEvent.OutcomeEvent(completion));
    }

    /** Promotes a server that has this content. */
    private void lose(String sql) {
        tasks.execute(sql);
        Position before = settings.servers().newest().orElseThrow();
        settings.servers().note(new Position(before.system(), before.timeline() + 1, 0), "a promoted server");
    }

    private void arrive() {
        try (var promoted = database.getConnection()) {
            journal.arrived(promoted);
        } catch (java.sql.SQLException e) {
            throw new AssertionError(e);
        }
    }

    private Epoch open(long expected) {
        return new JdbcEpochRegister(settings, connection)
                .open(expected, new Claimant("a", settings.incarnation(), 0, 0), "test")
                .orElseThrow();
    }
}
