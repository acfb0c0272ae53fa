package io.twinbell.persistence.ledger.claim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.Completion;
import io.twinbell.persistence.ledger.ExecutionState;
import io.twinbell.persistence.ledger.LedgerEntry;
import io.twinbell.persistence.ledger.Slot;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** How the ledger claims slots, advances their tasks and records outcomes. */
class JdbcLedgerTest extends LedgerFixture {
    @Test
    void a_claim_enters_the_slot_and_advances_the_task_in_one_step() {
        long task = tasks.insert("t", "{}", now);
        ClaimOutcome outcome = ledger.claim(epoch, 1, List.of(claim(task, now, now + 5000)));
        assertEquals(new ClaimOutcome(true, Set.of(task), Set.of(task), Set.of()), outcome);
        assertEquals(
                List.of("CLAIMED|1|1|a"), tasks.query("select state, attempt, epoch, node from twinbell.execution"));
        assertEquals(now + 5000, nextOf(task));
    }

    @Test
    void a_superseded_epoch_claims_nothing() {
        long task = tasks.insert("t", "{}", now);
        open(1);
        ClaimOutcome outcome = ledger.claim(epoch, 1, List.of(claim(task, now, now + 5000)));
        assertFalse(outcome.authorised());
        assertEquals(0, tasks.number("select count(*) from twinbell.execution"));
        assertEquals(now, nextOf(task));
    }

    @Test
    void a_row_may_stand_for_many_slots_and_says_why() {
        long task = tasks.insert("t", "{}", now - 60_000);
        LedgerEntry missed = new LedgerEntry(ExecutionState.MISSED, now - 1000, 60, now - 59_000, "too late");
        ledger.claim(
                epoch, 1, List.of(new DecidedSlot(task, 1, now - 60_000, now, false, DecidedSlot.UNLIMITED, missed)));
        assertEquals(
                List.of("MISSED|60|" + (now - 1000) + "|too late|t"),
                tasks.query("select state, slots, twinbell.millis(until_fire_time), reason, ended_at is not null"
                        + " from twinbell.execution"));
    }

    @Test
    void a_row_of_many_slots_whose_first_is_in_the_ledger_is_left_to_be_decided_from_the_second_on() {
        long task = tasks.insert("t", "{}", now - 60_000);
        tasks.execute("insert into twinbell.execution (task_id, fire_time, app, name, state) values (" + task
                + ", twinbell.instant(" + (now - 60_000) + "), 'test', 't', 'SUCCEEDED')");
        LedgerEntry all = new LedgerEntry(ExecutionState.MISSED, now - 1000, 60, now - 59_000, "too late");
        DecidedSlot claim = new DecidedSlot(task, 1, now - 60_000, DecidedSlot.NONE, true, DecidedSlot.UNLIMITED, all);
        ClaimOutcome outcome = ledger.claim(epoch, 1, List.of(claim));
        assertEquals(Set.of(), outcome.entered());
        assertEquals(now - 59_000, outcome.nextMillis(claim));
        assertEquals(
                List.of((now - 59_000) + "|" + (now - 60_000) + "|ACTIVE"),
                tasks.query("select twinbell.millis(next_fire_time), twinbell.millis(previous_fire_time), state"
                        + " from twinbell.task_state"));
        LedgerEntry others = new LedgerEntry(ExecutionState.MISSED, now - 1000, 59, now - 58_000, "too late");
        ledger.claim(
                epoch,
                2,
                List.of(new DecidedSlot(task, 1, now - 59_000, DecidedSlot.NONE, true, DecidedSlot.UNLIMITED, others)));
        assertEquals(
                List.of("SUCCEEDED|1", "MISSED|59"),
                tasks.query("select state, slots from twinbell.execution order by fire_time"));
        assertEquals(List.of("FINISHED"), tasks.query("select state from twinbell.task_state"));
    }

    @Test
    void the_last_fire_time_finishes_a_task_and_one_that_waits_for_its_run_stays_active() {
        long once = tasks.insert("once", "{}", now);
        long delayed = tasks.insert("delayed", "{}", now);
        ledger.claim(
                epoch,
                1,
                List.of(
                        new DecidedSlot(
                                once, 1, now, DecidedSlot.NONE, true, DecidedSlot.UNLIMITED, LedgerEntry.claimed(now)),
                        new DecidedSlot(
                                delayed,
                                1,
                                now,
                                DecidedSlot.NONE,
                                false,
                                DecidedSlot.UNLIMITED,
                                LedgerEntry.claimed(now))));
        assertEquals(
                List.of("once|FINISHED|", "delayed|ACTIVE|"),
                tasks.query("select name, state, next_fire_time from twinbell.task_state"
                        + " join twinbell.task on id = task_id order by id"));
    }

    @Test
    void a_completion_is_recorded_once_and_repeating_it_changes_nothing() {
        long task = tasks.insert("t", "{}", now);
        ledger.claim(epoch, 1, List.of(claim(task, now, now + 5000)));
        assertEquals(List.of(), recorder.record(epoch, List.of(success(task, "zero \0 byte"))));
        assertEquals(List.of(), recorder.record(epoch, List.of(failure(task))));
        assertEquals(
                List.of("SUCCEEDED|zero \uFFFD byte|"),
                tasks.query("select state, output, error from twinbell.execution"));
    }

    @Test
    void a_late_outcome_of_a_superseded_epoch_becomes_a_note_and_the_state_stays() {
        long task = tasks.insert("t", "{}", now);
        ledger.claim(epoch, 1, List.of(claim(task, now, now + 5000)));
        open(1);
        List<Completion> refused = recorder.record(epoch, List.of(success(task, "out")));
        assertEquals(1, refused.size());
        recorder.note(refused);
        assertEquals(
                List.of("CLAIMED|t"), tasks.query("select state, note like '%SUCCEEDED%' from twinbell.execution"));
    }

    @Test
    void a_draining_epoch_still_records_what_it_finishes_but_claims_nothing() {
        long task = tasks.insert("t", "{}", now);
        ledger.claim(epoch, 1, List.of(claim(task, now, now + 1)));
        register.resign(epoch, Duration.ofMinutes(1));
        Epoch next = open(1);
        assertFalse(
                ledger.claim(epoch, 2, List.of(claim(task, now + 1, now + 2))).authorised());
        assertEquals(List.of(), recovery.orphans(next, 10), "its executions are left alone");
        assertEquals(List.of(), recorder.record(epoch, List.of(success(task, "out"))));
        assertEquals(List.of("SUCCEEDED"), tasks.query("select state from twinbell.execution"));
    }

    @Test
    void the_end_of_a_run_sets_the_next_fire_time_of_a_task_that_follows_it_unless_an_edit_was_faster() {
        long task = tasks.insert("t", "{}", now);
        long edited = tasks.insert("edited", "{}", now);
        ledger.claim(
                epoch,
                1,
                List.of(
                        new DecidedSlot(
                                task, 1, now, DecidedSlot.NONE, false, DecidedSlot.UNLIMITED, LedgerEntry.claimed(now)),
                        new DecidedSlot(
                                edited, 1, now, now + 7, false, DecidedSlot.UNLIMITED, LedgerEntry.claimed(now))));
        recorder.record(epoch, List.of(followed(task, now + 99), followed(edited, now + 99)));
        assertEquals(now + 99, nextOf(task));
        assertEquals(now + 7, nextOf(edited));
    }

    @Test
    void the_end_of_one_run_sets_no_next_fire_time_while_another_of_the_task_is_unfinished() {
        long task = tasks.insert("t", "{}", now);
        ledger.claim(
                epoch,
                1,
                List.of(new DecidedSlot(
                        task, 1, now, DecidedSlot.NONE, false, DecidedSlot.UNLIMITED, LedgerEntry.claimed(now))));
        tasks.execute("insert into twinbell.execution (task_id, fire_time, app, name, state) values (" + task
                + ", twinbell.instant(" + (now - 5) + "), 'test', 't', 'PENDING')");
        assertEquals(1, ledger.claimWaiting(epoch, 2, due(), 10).size());
        recorder.record(epoch, List.of(followed(task, now + 99)));
        assertEquals(List.of(""), tasks.query("select next_fire_time from twinbell.task_state"));
        Completion other = new Completion(
                epoch,
                new Slot(task, now - 5),
                1,
                ExecutionState.SUCCEEDED,
                new Completion.RunTimes(now * 1000, now * 1000 + 1000),
                Completion.Text.NONE,
                now + 111);
        recorder.record(epoch, List.of(other));
        assertEquals(now + 111, nextOf(task));
    }

    @Test
    void a_batch_of_a_thousand_is_one_statement_and_complete() {
        tasks.execute("with t as (insert into twinbell.full_task (app, name, handler_type, definition)"
                + " select 'test', 't' || n, 'log', '{}' from generate_series(1, 1000) n returning id)"
                + " insert into twinbell.task_state (task_id, next_fire_time) select id, twinbell.instant(" + now
                + ") from t");
        List<DecidedSlot> claims = tasks.query("select task_id from twinbell.task_state").stream()
                .map(id -> claim(Long.parseLong(id), now, now + 5000))
                .toList();
        ClaimOutcome outcome = ledger.claim(epoch, 1, claims);
        assertEquals(1000, outcome.advanced().size());
        assertEquals(1000, outcome.entered().size());
    }

    private long nextOf(long task) {
        return tasks.number("select twinbell.millis(next_fire_time) from twinbell.task_state where task_id = ?", task);
    }

    private Completion failure(long task) {
        return completion(task, ExecutionState.FAILED, new Completion.Text(null, "broken", null), Long.MAX_VALUE);
    }

    private Completion followed(long task, long next) {
        return completion(task, ExecutionState.SUCCEEDED, Completion.Text.NONE, next);
    }
}
