package io.twinbell.persistence.ledger.claim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.node.execution.store.JdbcExecutionQueries;
import io.twinbell.node.journal.JdbcClaimJournal;
import io.twinbell.node.journal.LedgerJournal;
import io.twinbell.persistence.clock.Ticker;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.ExecutionState;
import io.twinbell.persistence.ledger.LedgerEntry;
import io.twinbell.persistence.ledger.Slot;
import io.twinbell.persistence.ledger.journal.ClaimJournal;
import io.twinbell.persistence.ledger.record.LedgerWait;
import io.twinbell.persistence.ledger.record.OverlapQueue;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Many slots that are the last of their tasks are claimed in one row. */
class PackedClaimTest extends PackedClaimFixture {
    @Test
    void a_claim_of_a_batch_can_be_looked_up_again() {
        ClaimJournal check =
                new JdbcClaimJournal(other, settings.servers(), new LedgerJournal(settings.servers(), Ticker.SYSTEM));
        claimAll();
        assertEquals(ClaimJournal.Answer.CLAIMED, check.find(epoch, attempt(ids.get(0))));
        recorder.record(epoch, List.of(success(ids.get(0))));
        assertEquals(ClaimJournal.Answer.VANISHED, check.find(epoch, attempt(ids.get(0))), "it has ended");
        assertEquals(ClaimJournal.Answer.CLAIMED, check.find(epoch, attempt(ids.get(1))));
    }

    @Test
    void many_are_one_row_and_their_tasks_have_gone_on() {
        Set<Long> all = Set.copyOf(ids);
        assertEquals(new ClaimOutcome(true, all, all, Set.of()), claimAll());
        assertEquals(List.of(), tasks.query(LEDGER));
        assertEquals(
                List.of("1|7|a|" + MANY),
                tasks.query("select epoch, batch, node, cardinality(task_ids) from twinbell.claim_batch"));
        assertEquals(
                List.of("FINISHED||" + now + "|1|t"),
                tasks.query("select distinct state, next_fire_time, twinbell.millis(previous_fire_time), runs,"
                        + " finished_at is not null from twinbell.task_state"));
    }

    @Test
    void few_slots_and_slots_that_are_not_the_last_have_their_own_rows() {
        List<DecidedSlot> claims =
                new ArrayList<>(ids.stream().skip(1).map(this::claim).toList());
        claims.add(new DecidedSlot(
                ids.get(0), 1, now, now + 5000, false, DecidedSlot.UNLIMITED, LedgerEntry.claimed(now)));
        assertEquals(Set.copyOf(ids), ledger.claim(epoch, 7, claims).entered());
        assertEquals(MANY, states().size());
        assertEquals(0, open());
    }

    @Test
    void a_batch_that_another_session_has_spread_is_recorded_in_its_rows() {
        claimAll();
        recorder.record(epoch, List.of(success(ids.get(0))));
        tasks.query("select twinbell.spread_batches()");
        assertEquals(List.of("SUCCEEDED", "CLAIMED", "CLAIMED", "CLAIMED", "CLAIMED"), states());
        assertEquals(row("t1", "CLAIMED"), tasks.query(LEDGER).get(1));
        assertEquals(List.of(), recorder.record(epoch, successes().subList(1, 4)));
        assertEquals(List.of("SUCCEEDED", "SUCCEEDED", "SUCCEEDED", "SUCCEEDED", "CLAIMED"), states());
    }

    @Test
    void spreading_waits_for_an_outcome_that_is_being_recorded() throws Exception {
        claimAll();
        try (Connection recording = database.getConnection()) {
            recording.setAutoCommit(false);
            try (Statement statement = recording.createStatement()) {
                statement.execute("select 1 from twinbell.claim_batch for update");
                statement.execute("insert into twinbell.execution (task_id, fire_time, app, name, state) values ("
                        + ids.get(0) + ", twinbell.instant(" + now + "), 'test', 't0', 'SUCCEEDED')");
            }
            CompletableFuture<List<String>> spreading =
                    CompletableFuture.supplyAsync(() -> tasks.query("select twinbell.spread_batches()"));
            while (tasks.number("select count(*) from pg_stat_activity where wait_event_type = 'Lock'") == 0) {
                assertFalse(spreading.isDone(), "it did not wait");
            }
            recording.commit();
            assertEquals(List.of("1"), spreading.get(10, TimeUnit.SECONDS));
        }
        assertEquals(List.of("SUCCEEDED", "CLAIMED", "CLAIMED", "CLAIMED", "CLAIMED"), states());
    }

    @Test
    void an_epoch_that_is_over_claims_and_records_nothing() {
        claimAll();
        Epoch next = open(1);
        assertEquals(Set.copyOf(successes()), Set.copyOf(recorder.record(epoch, successes())));
        assertEquals(List.of(), states());
        assertFalse(
                ledger.claim(epoch, 8, ids.stream().map(this::claim).toList()).authorised());
        assertEquals(MANY, recovery.orphans(next, 100).size());
        assertEquals(row("t0", "CLAIMED"), tasks.query(LEDGER).get(0));
        assertEquals(0, open());
        recorder.note(successes());
        assertEquals(
                MANY, tasks.number("select count(*) from twinbell.execution where note like 'attempt 1 ended after%'"));
    }

    @Test
    void a_master_that_drains_records_and_its_successor_sees_what_it_runs() {
        claimAll();
        epochs.resign(epoch, Duration.ofMinutes(1));
        Epoch next = open(1);
        assertEquals(List.of(), recorder.record(epoch, List.of(success(ids.get(0)))));
        assertEquals(List.of(), recovery.orphans(next, 100));
        assertEquals(Set.copyOf(ids.subList(1, MANY)), recovery.tasksThatDrain());
        assertEquals(List.of(), recorder.record(epoch, successes()));
        assertEquals(Set.of(), recovery.tasksThatDrain());
    }

    @Test
    void a_claim_without_an_answer_is_found() {
        claimAll();
        assertEquals(
                Set.copyOf(ids),
                ledger.enteredInBatch(epoch, 7, ids.stream().map(this::claim).toList()));
        assertEquals(List.of(), recorder.record(epoch, successes()));
        assertEquals(Set.of("SUCCEEDED"), Set.copyOf(states()));
    }

    @Test
    void a_claim_that_no_process_holds_is_found_once_it_is_old_enough() {
        claimAll();
        assertEquals(List.of(), recovery.own(epoch, 60_000, 100));
        assertEquals(1, open());
        assertEquals(MANY, recovery.own(epoch, 0, 100).size());
        assertEquals(0, open());
    }

    @Test
    void an_unstarted_run_can_be_handed_back_whether_queued_or_waiting() {
        claimAll();
        assertTrue(ledger.handBack(epoch, List.of(attempt(ids.get(0)))));
        assertEquals(List.of("PENDING", "CLAIMED", "CLAIMED", "CLAIMED", "CLAIMED"), states());
        assertTrue(recorder.queue(epoch, List.of(new OverlapQueue(new Slot(ids.get(1), now), 1, 3))));
        assertTrue(recorder.recordWaits(epoch, List.of(new LedgerWait(new Slot(ids.get(2), now), 1, "k"))));
        assertEquals(List.of("PENDING", "PENDING", "PENDING", "CLAIMED", "CLAIMED"), states());
    }

    @Test
    void queueing_alone_finds_its_claim() {
        claimAll();
        assertTrue(recorder.queue(epoch, List.of(new OverlapQueue(new Slot(ids.get(1), now), 1, 3))));
        assertEquals(List.of("CLAIMED", "PENDING", "CLAIMED", "CLAIMED", "CLAIMED"), states());
    }

    @Test
    void a_query_shows_one_slot_of_a_batch() {
        claimAll();
        JdbcExecutionQueries queries = new JdbcExecutionQueries(database);
        assertEquals(
                ExecutionState.CLAIMED,
                queries.find(new Slot(ids.get(3), now)).orElseThrow().state());
        assertTrue(queries.find(new Slot(ids.get(3), now + 1)).isEmpty());
        assertTrue(queries.find(new Slot(0, now)).isEmpty());
    }
}
