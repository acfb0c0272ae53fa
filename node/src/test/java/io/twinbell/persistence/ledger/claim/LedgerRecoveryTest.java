package io.twinbell.persistence.ledger.claim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.node.journal.JdbcClaimJournal;
import io.twinbell.node.journal.LedgerJournal;
import io.twinbell.persistence.clock.Ticker;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.Attempt;
import io.twinbell.persistence.ledger.Completion;
import io.twinbell.persistence.ledger.ExecutionState;
import io.twinbell.persistence.ledger.PackedSlots;
import io.twinbell.persistence.ledger.Slot;
import io.twinbell.persistence.ledger.journal.ClaimJournal;
import io.twinbell.persistence.ledger.recovery.Settlement;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the ledger does with claims of other epochs, broken claims, and rows that wait. */
class LedgerRecoveryTest extends LedgerFixture {
    @Test
    void a_slot_handed_back_is_reclaimed_as_the_same_attempt() {
        long task = tasks.insert("t", "{\"a\": 1}", now);
        ledger.claim(epoch, 1, List.of(claim(task, now, now + 5000)));
        Attempt unstarted = new Attempt(new Slot(task, now), "test", "t", 1, epoch.number(), "a", List.of());
        assertTrue(ledger.handBack(epoch, List.of(unstarted)));
        assertEquals(List.of("PENDING||"), tasks.query("select state, epoch, node from twinbell.execution"));
        Epoch next = open(1);
        assertEquals(
                List.of(new Attempt(new Slot(task, now), "test", "t", 1, 2, "a", "{\"a\": 1}", false, List.of())),
                ledger.claimWaiting(next, 5, due(), 10));
        assertEquals(List.of(), ledger.claimWaiting(next, 6, due(), 10));
    }

    private void pending(String app, long task, long firstMillis, int rows) {
        tasks.execute("insert into twinbell.execution (task_id, fire_time, app, name, state) select " + task
                + ", twinbell.instant(" + firstMillis + " + n), '" + app + "', 't', 'PENDING'"
                + " from generate_series(0, " + (rows - 1) + ") as n");
    }

    @Test
    void the_given_number_of_waiting_rows_of_each_app_is_claimed_oldest_first() {
        long task = tasks.insert("t", "{\"overlap\":\"ALLOW\"}", now + 60_000);
        pending("flood", task, now - 500, 20);
        pending("other", task, now - 100, 3);
        pending("third", task, now - 50, 3);
        List<Attempt> claimed = ledger.claimWaiting(epoch, 2, due(), Map.of("flood", 2, "other", 9));
        assertEquals(
                List.of("flood -500", "flood -499", "other -100", "other -99", "other -98"),
                claimed.stream()
                        .sorted(Comparator.comparingLong(
                                attempt -> attempt.slot().fireTimeMillis()))
                        .map(attempt -> attempt.app() + " " + (attempt.slot().fireTimeMillis() - now))
                        .toList());
        assertEquals(21, tasks.number("select count(*) from twinbell.execution where state = 'PENDING'"));
        assertEquals(List.of(), ledger.claimWaiting(epoch, 3, due(), Map.of("none", 5)));
        open(1);
        assertEquals(List.of(), ledger.claimWaiting(epoch, 4, due(), Map.of("flood", 5)), "the epoch is over");
    }

    @Test
    void apps_with_due_waiting_rows_are_listed_in_order_of_their_names() {
        long task = tasks.insert("t", "{\"overlap\":\"ALLOW\"}", now + 60_000);
        pending("b", task, now - 500, 20);
        pending("a", task, now - 100, 3);
        pending("c", task, now - 50, 3);
        pending("later", task, now + 50_000, 3);
        pending("held", task, now - 200, 3);
        tasks.execute("update twinbell.execution set held_by = 'app:held' where app = 'held'");
        assertEquals(List.of("a", "b", "c"), ledger.appsWaiting(due(), "", 10));
        assertEquals(List.of("b", "c"), ledger.appsWaiting(due(), "a", 10));
        assertEquals(List.of("a", "b"), ledger.appsWaiting(due(), "", 2));
        assertEquals(List.of(), ledger.appsWaiting(due(), "c", 2));
    }

    @ParameterizedTest
    @ValueSource(strings = {"execution_waiting_of_app", "execution_error_code", "execution_unsuccessful"})
    void the_partition_of_today_and_those_to_come_have_each_index(String index) {
        tasks.execute("select twinbell.ensure_partition((clock_timestamp() + interval '400 days')::date)");
        assertEquals(
                List.of(),
                tasks.query("select c.relname from pg_inherits i join pg_class c on c.oid = i.inhrelid"
                        + " where i.inhparent = 'twinbell.execution'::regclass"
                        + " and (c.relname = 'execution_default' or c.relname >= 'execution_' || to_char("
                        + "clock_timestamp() at time zone 'UTC', 'YYYYMMDD')) and not exists (select 1 from pg_index x"
                        + " join pg_inherits p on p.inhrelid = x.indexrelid where x.indrelid = c.oid and x.indisvalid"
                        + " and p.inhparent = 'twinbell." + index + "'::regclass)"));
    }

    @Test
    void an_older_epoch_cannot_take_pending_rows() {
        long task = tasks.insert("t", "{}", now + 60_000);
        tasks.execute("insert into twinbell.execution (task_id, fire_time, app, name, state) values (" + task
                + ", twinbell.instant(" + now + "), 'test', 't', 'PENDING')");
        open(1);
        assertEquals(List.of(), ledger.claimWaiting(epoch, 1, due(), 10));
    }

    @Test
    void orphans_are_settled_once_by_dropping_or_by_the_next_attempt() {
        long dropped = tasks.insert("dropped", "{}", now);
        long rerun = tasks.insert("rerun", "{}", now);
        ledger.claim(epoch, 1, List.of(claim(dropped, now, now + 1), claim(rerun, now, now + 1)));
        Epoch next = open(1);
        List<Attempt> orphans = recovery.orphans(next, 10);
        assertEquals(2, orphans.size());
        List<Settlement> settlements = new ArrayList<>();
        for (Attempt orphan : orphans) {
            boolean isRerun = orphan.name().equals("rerun");
            ExecutionState end = isRerun ? ExecutionState.CLAIMED : ExecutionState.DROPPED;
            settlements.add(new Settlement(orphan, isRerun ? 2 : 0, end, "its master died", Long.MAX_VALUE));
        }
        assertEquals(settlements, recovery.settle(next, settlements, now, 0));
        assertEquals(List.of(), recovery.settle(next, settlements, now, 0), "a second time finds nothing");
        assertEquals(
                List.of("dropped|DROPPED|1|1", "rerun|CLAIMED|2|2"),
                tasks.query("select name, state, attempt, epoch from twinbell.execution order by name"));
        assertEquals(1, recorder.record(epoch, List.of(success(rerun, "late"))).size(), "the old attempt is refused");
    }

    @Test
    void an_orphan_that_was_requested_keeps_the_note_of_the_request() {
        long triggered = tasks.insert("triggered", "{}", now);
        long rerun = tasks.insert("rerun", "{}", now);
        long planned = tasks.insert("planned", "{}", now);
        ledger.claim(
                epoch,
                1,
                List.of(claim(triggered, now, now + 1), claim(rerun, now, now + 1), claim(planned, now, now + 1)));
        tasks.execute("update twinbell.execution set reason = 'by ann; see 17'");
        tasks.execute("update twinbell.execution set origin = 'TRIGGERED' where name = 'triggered'");
        tasks.execute("update twinbell.execution set reruns = 1 where name = 'rerun'");
        for (int death = 1; death <= 2; death++) {
            Epoch next = open(death);
            String left = "attempt " + death + " was left without an outcome by a (epoch " + death + "); run again";
            List<Settlement> settlements = recovery.orphans(next, 10).stream()
                    .map(orphan -> new Settlement(
                            orphan, orphan.attempt() + 1, ExecutionState.CLAIMED, left, Completion.NOT_FOLLOWED))
                    .toList();
            assertEquals(3, recovery.settle(next, settlements, now, 0).size());
            assertEquals(
                    List.of("planned|" + left, "rerun|by ann; see 17; " + left, "triggered|by ann; see 17; " + left),
                    tasks.query("select name, reason from twinbell.execution order by name"));
        }
    }

    @Test
    void a_slot_reclaimed_since_it_was_read_is_left() {
        long task = tasks.insert("t", "{}", now);
        ledger.claim(epoch, 1, List.of(claim(task, now, now + 1)));
        tasks.execute("update twinbell.execution set claimed_at = claimed_at - interval '6 seconds'");
        List<Settlement> settlements = recovery.own(epoch, 5000, 10).stream()
                .map(orphan -> new Settlement(orphan, 0, ExecutionState.DROPPED, "unheld", Long.MAX_VALUE))
                .toList();
        assertEquals(1, settlements.size());
        tasks.execute("update twinbell.execution set claimed_at = clock_timestamp()");
        assertEquals(List.of(), recovery.settle(epoch, settlements, now, 5000));
        tasks.execute("update twinbell.execution set claimed_at = claimed_at - interval '6 seconds'");
        assertEquals(settlements, recovery.settle(epoch, settlements, now, 5000));
    }

    @Test
    void an_attempt_that_a_later_epoch_has_claimed_since_it_was_read_is_left() {
        long task = tasks.insert("t", "{}", now);
        ledger.claim(epoch, 1, List.of(claim(task, now, now + 1)));
        List<Attempt> read = recovery.own(epoch, 0, 10);
        assertEquals(1, read.size());
        assertTrue(ledger.handBack(epoch, read));
        Epoch next = open(1);
        assertEquals(1, ledger.claimWaiting(next, 2, due(), 10).size());
        List<Settlement> settlements =
                List.of(new Settlement(read.get(0), 0, ExecutionState.DROPPED, "left", Long.MAX_VALUE));
        assertEquals(List.of(), recovery.settle(next, settlements, now, 0));
        assertEquals(List.of("CLAIMED|1|2"), tasks.query("select state, attempt, epoch from twinbell.execution"));
    }

    @Test
    void a_superseded_epoch_settles_nothing() {
        long task = tasks.insert("t", "{}", now);
        ledger.claim(epoch, 1, List.of(claim(task, now, now + 1)));
        Epoch second = open(1);
        List<Attempt> orphans = recovery.orphans(second, 10);
        open(2);
        assertEquals(
                List.of(),
                recovery.settle(
                        second,
                        List.of(new Settlement(orphans.get(0), 0, ExecutionState.DROPPED, "x", Long.MAX_VALUE)),
                        now,
                        0));
        assertEquals(List.of("CLAIMED"), tasks.query("select state from twinbell.execution"));
    }

    @Test
    void after_a_broken_claim_the_batch_shows_what_was_claimed() {
        long in = tasks.insert("in", "{}", now);
        long out = tasks.insert("out", "{}", now);
        ledger.claim(epoch, 77, List.of(claim(in, now, now + 1)));
        List<DecidedSlot> both = List.of(claim(in, now, now + 1), claim(out, now, now + 1));
        assertEquals(Set.of(in), ledger.enteredInBatch(epoch, 77, both));
        assertEquals(Set.of(), ledger.enteredInBatch(epoch, 78, both), "another batch is not ours");
    }

    @Test
    void a_claim_can_be_looked_up_again() {
        ClaimJournal check =
                new JdbcClaimJournal(connection, a.servers(), new LedgerJournal(a.servers(), Ticker.SYSTEM));
        long in = tasks.insert("in", "{}", now);
        long out = tasks.insert("out", "{}", now);
        ledger.claim(epoch, 77, List.of(claim(in, now, now + 1)));
        assertEquals(ClaimJournal.Answer.CLAIMED, check.find(epoch, attempt(in, 1)));
        assertEquals(ClaimJournal.Answer.VANISHED, check.find(epoch, attempt(in, 2)), "another attempt");
        assertEquals(ClaimJournal.Answer.VANISHED, check.find(epoch, attempt(out, 1)));
        recorder.record(epoch, List.of(success(in, "done")));
        assertEquals(ClaimJournal.Answer.VANISHED, check.find(epoch, attempt(in, 1)), "it has ended");
        open(1);
        assertEquals(ClaimJournal.Answer.SUPERSEDED, check.find(epoch, attempt(in, 1)));
    }

    @Test
    void the_backend_that_a_claim_was_sent_to_is_ended_even_if_another_was_opened_since() throws SQLException {
        long task = tasks.insert("t", "{}", now);
        List<DecidedSlot> claims = List.of(claim(task, now, now + 1));
        try (Connection application = database.getConnection();
                DedicatedConnection impatient = new DedicatedConnection(a, "claim", 1)) {
            Ledger claimer = new JdbcLedger(impatient, PackedSlots.none());
            application.setAutoCommit(false);
            application.createStatement().execute("select * from twinbell.epoch for update");
            assertThrows(DatabaseUnavailableException.class, () -> claimer.claim(epoch, 77, claims));
            impatient.run(c -> null);
            assertEquals(Set.of(), claimer.enteredInBatch(epoch, 77, claims));
            application.rollback();
        }
        assertEquals(
                List.of("0"),
                tasks.query("select count(*) from pg_stat_activity where wait_event_type = 'Lock'"
                        + " and application_name like '%/claim/%' and datname = current_database()"));
        assertEquals(0, tasks.number("select count(*) from twinbell.execution"), "nothing is committed behind us");
    }

    @Test
    void passed_slots_are_entered_by_the_master_once() {
        tasks.execute("insert into twinbell.passed_slots (task_id, app, name, fire_time, until_fire_time, slots, state,"
                + " reason) values (9, 'test', 'gone', twinbell.instant(" + now + "), twinbell.instant(" + (now + 4)
                + "), 5, 'SKIPPED', 'paused')");
        Epoch next = open(1);
        assertEquals(0, recovery.enterPassedSlots(epoch), "not by a superseded epoch");
        assertEquals(1, recovery.enterPassedSlots(next));
        assertEquals(0, recovery.enterPassedSlots(next));
        assertEquals(
                List.of("9|SKIPPED|5|paused"),
                tasks.query("select task_id, state, slots, reason from twinbell.execution"));
    }

    @Test
    void passed_slots_whose_first_is_in_the_ledger_already_are_entered_from_the_second_on() {
        tasks.execute("insert into twinbell.execution (task_id, fire_time, app, name, state)"
                + " select n, twinbell.instant(" + now + "), 'test', 'gone', 'SUCCEEDED' from generate_series(7, 8) n");
        tasks.execute(
                "insert into twinbell.passed_slots (task_id, app, name, fire_time, second_fire_time,"
                        + " until_fire_time, slots, state, reason) select task_id, 'test', 'gone', twinbell.instant("
                        + now
                        + "), twinbell.instant(" + now + " + least(slots - 1, 2)), twinbell.instant(" + now
                        + " + 2 * (slots - 1)), slots, 'SKIPPED', 'paused' from (values (7, 3), (8, 1), (9, 3)) v(task_id, slots)");
        assertEquals(2, recovery.enterPassedSlots(epoch));
        assertEquals(
                List.of("7|2|2|4", "9|0|3|4"),
                tasks.query("select task_id, twinbell.millis(fire_time) - " + now + ", slots,"
                        + " twinbell.millis(until_fire_time) - " + now
                        + " from twinbell.execution where state = 'SKIPPED' order by task_id"));
    }
}
