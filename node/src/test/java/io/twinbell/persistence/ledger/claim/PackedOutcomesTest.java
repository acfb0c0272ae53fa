package io.twinbell.persistence.ledger.claim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.node.handler.store.CompletingTransaction;
import io.twinbell.node.handler.store.CompletingTransactions;
import io.twinbell.node.upkeep.store.JdbcLedgerUpkeep;
import io.twinbell.node.upkeep.store.LedgerUpkeep;
import io.twinbell.persistence.ledger.Attempt;
import io.twinbell.persistence.ledger.AttemptReport;
import io.twinbell.persistence.ledger.Completion;
import io.twinbell.persistence.ledger.ExecutionState;
import io.twinbell.persistence.ledger.LedgerEntry;
import io.twinbell.persistence.ledger.PackedSlots;
import io.twinbell.persistence.ledger.Slot;
import io.twinbell.persistence.ledger.record.JdbcRecorder;
import io.twinbell.persistence.ledger.record.JdbcReportWriter;
import io.twinbell.persistence.ledger.record.PackedRecords;
import io.twinbell.persistence.ledger.record.Recorder;
import io.twinbell.persistence.task.JdbcTaskStore;
import io.twinbell.persistence.task.TaskContent;
import io.twinbell.persistence.task.TaskProgress;
import io.twinbell.persistence.task.TaskState;
import io.twinbell.persistence.testing.TestTasks;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Outcomes of slots that were claimed together: each is recorded once, in a row of its own. */
class PackedOutcomesTest extends PackedClaimFixture {
    @Test
    void each_row_is_written_once_with_its_outcome() {
        claimAll();
        assertEquals(List.of(), recorder.record(epoch, List.of(success(ids.get(1)), success(ids.get(0)))));
        assertEquals(List.of(row("t0", "SUCCEEDED"), row("t1", "SUCCEEDED")), tasks.query(LEDGER));
        assertEquals(1, open());
        assertEquals(
                List.of(),
                recorder.record(
                        epoch,
                        List.of(
                                success(ids.get(2)),
                                completion(ids.get(3), ExecutionState.SUCCEEDED, "said\0"),
                                success(ids.get(4)))));
        assertEquals(
                List.of(
                        row("t0", "SUCCEEDED"),
                        row("t1", "SUCCEEDED"),
                        row("t2", "SUCCEEDED"),
                        row("t3", "SUCCEEDED") + "said\uFFFD",
                        row("t4", "SUCCEEDED")),
                tasks.query(LEDGER));
        assertEquals(0, open());
        assertEquals(
                0,
                tasks.number("select count(*) from twinbell.execution where xmax <> 0"),
                "a second version was written");
    }

    @Test
    void repeating_a_completion_changes_nothing() {
        claimAll();
        recorder.record(epoch, successes().subList(0, 2));
        assertEquals(List.of(), recorder.record(epoch, successes()));
        assertEquals(List.of(), recorder.record(epoch, successes()));
        assertEquals(
                List.of("SUCCEEDED|" + MANY), tasks.query("select state, count(*) from twinbell.execution group by 1"));
        assertEquals(0, open());
    }

    @Test
    void an_outcome_that_was_entered_without_an_answer_keeps_no_other_from_being_entered() {
        claimAll();
        tasks.execute(
                "insert into twinbell.execution (task_id, fire_time, app, name, state, attempt, epoch, node, batch,"
                        + " claimed_at, started_at, ended_at) values (" + ids.get(1) + ", twinbell.instant(" + now
                        + "), 'test', 't1', 'SUCCEEDED', 1, 1, 'a', 7, now(), twinbell.instant(" + (now + 3)
                        + "), twinbell.instant(" + (now + 4) + "))");
        assertEquals(List.of(), recorder.record(epoch, successes()));
        assertEquals(
                List.of(
                        row("t0", "SUCCEEDED"),
                        row("t1", "SUCCEEDED"),
                        row("t2", "SUCCEEDED"),
                        row("t3", "SUCCEEDED"),
                        row("t4", "SUCCEEDED")),
                tasks.query(LEDGER));
        assertEquals(0, open());
    }

    @Test
    void a_slot_already_in_the_ledger_does_not_block_slots_of_other_instants() {
        tasks.execute("insert into twinbell.execution (task_id, fire_time, app, name, state) values (" + ids.get(0)
                + ", twinbell.instant(" + now + "), 'test', 't0', 'SUCCEEDED')");
        tasks.execute("update twinbell.task_state set next_fire_time = twinbell.instant(" + (now + 1)
                + ") where task_id = " + ids.get(4));
        List<DecidedSlot> claims =
                new ArrayList<>(ids.stream().limit(4).map(this::claim).toList());
        claims.add(new DecidedSlot(
                ids.get(4), 1, now + 1, DecidedSlot.NONE, true, DecidedSlot.UNLIMITED, LedgerEntry.claimed(now + 1)));
        Set<Long> entered = Set.copyOf(ids.subList(1, MANY));
        assertEquals(new ClaimOutcome(true, Set.copyOf(ids), entered, Set.of()), ledger.claim(epoch, 7, claims));
        assertEquals(1, open());
        assertEquals(List.of("SUCCEEDED"), states());
    }

    @Test
    void a_failed_or_continuing_slot_has_a_row_and_so_has_its_batch() {
        claimAll();
        Completion running = new Completion(
                epoch,
                new Slot(ids.get(2), now),
                1,
                ExecutionState.RUNNING,
                new Completion.RunTimes(now * 1000, Long.MAX_VALUE),
                Completion.Text.NONE,
                Completion.NOT_FOLLOWED);
        recorder.record(epoch, List.of(success(ids.get(0))));
        recorder.record(epoch, List.of(running));
        assertEquals(List.of("SUCCEEDED", "CLAIMED", "RUNNING", "CLAIMED", "CLAIMED"), states());
        recorder.record(
                epoch,
                List.of(success(ids.get(2)), completion(ids.get(3), ExecutionState.FAILED, null), success(ids.get(4))));
        assertEquals(List.of("SUCCEEDED", "CLAIMED", "SUCCEEDED", "FAILED", "SUCCEEDED"), states());
    }

    @Test
    void a_slot_already_in_the_ledger_does_not_block_its_batch() throws SQLException {
        tasks.execute("insert into twinbell.execution (task_id, fire_time, app, name, state) values (" + ids.get(0)
                + ", twinbell.instant(" + now + "), 'test', 't0', 'SUCCEEDED')");
        tasks.execute(
                "update twinbell.task_state set previous_fire_time = next_fire_time where task_id = " + ids.get(1));
        tasks.execute("update twinbell.task_state set version = 2 where task_id = " + ids.get(2));
        try (Connection application = database.getConnection()) {
            application.setAutoCommit(false);
            try (Statement statement = application.createStatement()) {
                statement.execute("select * from twinbell.task_state where task_id = " + ids.get(3) + " for update");
                Set<Long> advanced = Set.of(ids.get(0), ids.get(1), ids.get(4));
                assertEquals(new ClaimOutcome(true, advanced, Set.of(ids.get(4)), Set.of()), claimAll());
            }
            application.rollback();
        }
        assertEquals(List.of(ids.get(4).toString()), tasks.query("select unnest(task_ids) from twinbell.claim_batch"));
        assertEquals(List.of("SUCCEEDED"), states());
    }

    @Test
    void a_task_that_is_removed_meanwhile_leaves_its_slot_under_its_name() {
        claimAll();
        tasks.execute("delete from twinbell.task where id = " + ids.get(2));
        assertEquals(List.of(), recorder.record(epoch, successes()));
        assertEquals(row("t2", "SUCCEEDED"), tasks.query(LEDGER).get(2));
        assertEquals(Set.of("SUCCEEDED"), Set.copyOf(states()));
        assertEquals(0, open());
    }

    @Test
    void recording_does_not_wait_for_an_application_that_removes_a_task() throws SQLException {
        claimAll();
        try (Connection application = database.getConnection()) {
            application.setAutoCommit(false);
            try (Statement statement = application.createStatement()) {
                statement.execute("select twinbell.remove_task(" + ids.get(2) + ")");
            }
            assertEquals(List.of(), recorder.record(epoch, successes()));
            assertEquals(MANY, states().size());
            application.commit();
        }
    }

    @Test
    void a_task_recreated_under_its_name_counts_as_fired() {
        claimAll();
        tasks.execute("delete from twinbell.task where id = " + ids.get(2));
        TaskContent content = new TaskContent("test", "t2", null, List.of(), "log", null, "{}");
        long anew = new JdbcTaskStore(database)
                .insert(TestTasks.newTask(content, TaskProgress.fresh(TaskState.ACTIVE, null, OptionalLong.of(now)), 5))
                .orElseThrow()
                .id();
        assertEquals(
                now,
                tasks.number("select coalesce(twinbell.millis(previous_fire_time), 0) from twinbell.task_state"
                        + " where task_id = " + anew));
    }

    @Test
    void an_outcome_is_not_lost_when_its_batch_is_spread_and_forgotten_while_it_is_recorded() throws Exception {
        claimAll();
        PackedSlots.Batch batch = batches.of(epoch, new Slot(ids.get(0), now));
        Map<Completion, PackedSlots.Batch> found =
                successes().stream().collect(Collectors.toMap(done -> done, done -> batch));
        assertTrue(ledger.handBack(epoch, List.of(attempt(ids.get(4)))));
        PackedRecords.InsertResult written = other.run(c -> PackedRecords.record(c, epoch, found, batches));
        assertEquals(MANY, written.left().size());
    }

    @Test
    void an_outcome_finds_its_claim_in_a_batch_of_another_process() {
        claimAll();
        Recorder newcomer = new JdbcRecorder(other, new PackedSlots(MANY));
        assertEquals(List.of(), newcomer.record(epoch, successes()));
        assertEquals(MANY, states().size());
        assertEquals(Set.of("SUCCEEDED"), Set.copyOf(states()));
    }

    @Test
    void rows_of_an_open_batch_are_not_dropped_from_the_ledger() {
        claimAll();
        recorder.record(epoch, List.of(success(ids.get(0))));
        tasks.execute("update twinbell.execution set ended_at = ended_at - interval '10 days'");
        LedgerUpkeep upkeep = new JdbcLedgerUpkeep(other);
        assertEquals(
                0,
                upkeep.delete(epoch, LedgerUpkeep.RetentionClass.SUCCEEDED, now + 1, null, 10)
                        .executions());
        assertEquals(1, states().size());
        recorder.record(epoch, successes());
        assertEquals(
                MANY,
                upkeep.delete(epoch, LedgerUpkeep.RetentionClass.SUCCEEDED, now + 1, null, 10)
                        .executions());
        assertEquals(0, states().size());
    }

    @Test
    void a_chain_goes_on() {
        tasks.execute(
                "update twinbell.full_task set definition = '{\"then\": [{\"app\": \"test\", \"name\": \"t1\"}]}' where id = "
                        + ids.get(0));
        tasks.execute("update twinbell.task_state set version = 1");
        claimAll();
        assertEquals(List.of(), recorder.record(epoch, successes()));
        assertEquals(
                List.of("CHAINED|PENDING"),
                tasks.query("select origin, state from twinbell.execution where origin is not null"));
        assertEquals(MANY, tasks.number("select count(*) from twinbell.execution where state = 'SUCCEEDED'"));
    }

    @Test
    void a_slot_beside_the_schedule_is_never_put_on_one_that_is_claimed() {
        claimAll();
        assertEquals(
                List.of(""),
                tasks.query("select twinbell.chain('test', 't0', twinbell.instant(" + now + "), 'test', '{}')"));
        assertEquals(
                List.of((now + 1) + "|PENDING"),
                tasks.query("select twinbell.millis(fire_time), state from twinbell.execution"));
        assertEquals(
                List.of(),
                ledger.claimWaiting(epoch, 9, new Ledger.DueBounds(now + 5, now + 5), 10).stream()
                        .filter(Attempt::inTurn)
                        .toList());
    }

    @Test
    void one_that_waits_its_turn_waits_for_a_claim_of_a_batch() {
        claimAll();
        tasks.execute("insert into twinbell.execution (task_id, fire_time, app, name, state, in_turn) values ("
                + ids.get(0) + ", twinbell.instant(" + (now - 1) + "), 'test', 't0', 'PENDING', true)");
        assertEquals(List.of(), ledger.claimWaiting(epoch, 9, new Ledger.DueBounds(now, now), 10));
        recorder.record(epoch, successes());
        assertEquals(
                1,
                ledger.claimWaiting(epoch, 9, new Ledger.DueBounds(now, now), 10)
                        .size());
    }

    @Test
    void two_slots_of_one_task_are_both_recorded() {
        claimAll();
        long later = now + 1;
        tasks.execute("update twinbell.task_state set state = 'ACTIVE', finished_at = null, next_fire_time ="
                + " twinbell.instant(" + later + ")");
        List<DecidedSlot> again = ids.stream()
                .map(id -> new DecidedSlot(
                        id, 1, later, DecidedSlot.NONE, true, DecidedSlot.UNLIMITED, LedgerEntry.claimed(later)))
                .toList();
        assertEquals(MANY, ledger.claim(epoch, 8, again).entered().size());
        List<Completion> all = new ArrayList<>(successes());
        ids.forEach(id -> all.add(new Completion(
                epoch,
                new Slot(id, later),
                1,
                ExecutionState.SUCCEEDED,
                new Completion.RunTimes(later * 1000, later * 1000),
                Completion.Text.NONE,
                Completion.NOT_FOLLOWED)));
        assertEquals(List.of(), recorder.record(epoch, all));
        assertEquals(2 * MANY, states().size());
        assertEquals(Set.of("SUCCEEDED"), Set.copyOf(states()));
        assertEquals(0, open());
    }

    @Test
    void completing_transactions_of_one_batch_find_their_claims_at_once() throws Exception {
        claimAll();
        CountDownLatch together = new CountDownLatch(MANY - 1);
        List<CompletableFuture<CompletingTransaction.Result>> results = new ArrayList<>();
        for (long id : ids.subList(1, MANY)) {
            results.add(CompletableFuture.supplyAsync(
                    () -> {
                        try {
                            return completing(id).run(work -> {
                                together.countDown();
                                together.await();
                                return "done";
                            });
                        } catch (Exception e) {
                            throw new IllegalStateException(e);
                        }
                    },
                    task -> new Thread(task).start()));
        }
        for (CompletableFuture<CompletingTransaction.Result> result : results) {
            assertEquals(CompletingTransaction.Result.COMMITTED, result.get(10, TimeUnit.SECONDS));
        }
        assertEquals(List.of("CLAIMED", "SUCCEEDED", "SUCCEEDED", "SUCCEEDED", "SUCCEEDED"), states());
        assertEquals(List.of(), recorder.record(epoch, successes()));
        assertEquals(Set.of("SUCCEEDED"), Set.copyOf(states()));
    }

    private CompletingTransaction completing(long id) {
        return new CompletingTransactions(database, null, () -> now * 1000)
                .of(
                        new CompletingTransaction.Claimed(epoch, new Slot(id, now), 1, now * 1000),
                        new CompletingTransaction.TimeLimits(null, Duration.ofSeconds(5)));
    }

    @Test
    void a_report_about_one_slot_is_kept() {
        claimAll();
        new JdbcReportWriter(other, batches)
                .write(
                        epoch,
                        List.of(new AttemptReport.OfAttempt(
                                new Slot(ids.get(1), now),
                                1,
                                new AttemptReport(OptionalDouble.of(0.5), "half", null))));
        assertEquals(
                Map.of("t1", "half"),
                Map.of(
                        "t1",
                        tasks.query("select progress_message from twinbell.execution where name = 't1'")
                                .get(0)));
    }
}
