package io.twinbell.node.engine;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.ha.role.Predecessor;
import io.twinbell.node.engine.step.TrustWindow;
import io.twinbell.node.engine.worker.OutcomeRecorderTest;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.claim.Ledger;
import io.twinbell.persistence.testing.TestPostgres;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** From the table to the ledger: claim, run, record, and everything that can come in between. */
class FiringTest {
    private static final PGSimpleDataSource DATABASE = TestPostgres.freshDatabase();
    private static final String RERUN = ",\"orphan\":\"RERUN\"";

    private EngineBench bench;

    @BeforeEach
    void prepare() {
        EngineBench.clear(DATABASE);
        bench = new EngineBench(DATABASE, 1000);
    }

    @AfterEach
    void close() {
        bench.close();
    }

    @Test
    void a_due_task_is_claimed_run_and_recorded_and_goes_on_to_its_next_fire_time() {
        long fire = gridTime();
        long task = bench.task("t", StoredTasks.EVERY_SECOND, fire);
        bench.nowMillis = fire;
        bench.begin();
        bench.handler = context -> "out";
        bench.fireAll();
        assertEquals(List.of("t 0 1"), bench.ran);
        assertEquals(
                List.of("SUCCEEDED|out|a"), bench.tasks.query("select state, output, node from twinbell.execution"));
        assertEquals(fire + 1000, bench.nextOf(task));
        assertEquals(0, bench.inFlight.size());
    }

    @Test
    void a_standby_learns_what_it_would_fire_first() {
        long fire = gridTime();
        bench.task("t", StoredTasks.EVERY_SECOND, fire);
        bench.claimer.warmUp();
        bench.tasks.execute(
                "update twinbell.task set definition = '{\"of another version\": 1}', updated_at = clock_timestamp()");
        bench.nowMillis = fire;
        bench.begin();
        bench.fireAll();
        assertEquals(List.of("t SUCCEEDED 1"), bench.ledger(), "it was known, and not read again");
    }

    @Test
    void what_a_standby_has_learned_and_an_edit_has_outdated_is_read_again() {
        long fire = gridTime();
        long task = bench.task("t", StoredTasks.EVERY_SECOND, fire);
        bench.claimer.warmUp();
        bench.tasks.execute(
                "update twinbell.task set definition = '" + StoredTasks.json(StoredTasks.EVERY_MINUTE) + "'");
        bench.tasks.execute("update twinbell.task_state set version = version + 1");
        bench.nowMillis = fire;
        bench.begin();
        bench.fireAll();
        assertEquals(List.of("t SUCCEEDED 1"), bench.ledger());
        assertEquals(0, bench.nextOf(task) % 60_000, "by the new schedule");
    }

    @Test
    void a_claim_is_durable_before_its_handler_starts() {
        long fire = gridTime();
        bench.task("t", StoredTasks.EVERY_SECOND, fire);
        bench.nowMillis = fire;
        bench.begin();
        bench.handler = context -> bench.ledger();
        bench.fireAll();
        assertEquals(List.of("[t CLAIMED 1]"), bench.tasks.query("select output from twinbell.execution"));
    }

    @Test
    void a_task_whose_row_an_application_holds_delays_itself_alone() throws Exception {
        long fire = gridTime();
        long held = bench.task("held", StoredTasks.EVERY_SECOND, fire);
        bench.task("free", StoredTasks.EVERY_SECOND, fire);
        bench.nowMillis = fire;
        bench.begin();
        try (Connection application = DATABASE.getConnection()) {
            application.setAutoCommit(false);
            application
                    .createStatement()
                    .execute("select * from twinbell.task_state where task_id = " + held + " for update");
            bench.fireAll();
            assertEquals(List.of("free 0 1"), bench.ran);
            application.rollback();
        }
        bench.fireAll();
        assertEquals(List.of("free 0 1", "held 0 1"), bench.ran);
    }

    @Test
    void an_edit_between_read_and_claim_binds() {
        long fire = gridTime();
        long task = bench.task("t", StoredTasks.EVERY_SECOND, fire);
        bench.nowMillis = fire;
        bench.begin();
        bench.fireAll();
        // Nobody tells the engine of this edit: only the claim finds out.
        bench.tasks.execute("update twinbell.task_state set version = 2, next_fire_time = twinbell.instant("
                + (fire + 5000) + "); update twinbell.task set definition = '"
                + StoredTasks.json(StoredTasks.EVERY_MINUTE) + "'");
        bench.nowMillis = fire + 1000;
        bench.fireAll();
        assertEquals(1, bench.ran.size(), "the slot that the edit took away");
        bench.nowMillis = fire + 5000;
        bench.fireAll();
        assertEquals(List.of("t 0 1", "t 0 1"), bench.ran);
        assertEquals(0, bench.nextOf(task) % 60_000, "by the new schedule");
    }

    @Test
    void an_edit_that_leaves_the_fire_time_alone_binds_too() {
        long fire = gridTime();
        long task = bench.task("t", StoredTasks.EVERY_SECOND, fire);
        bench.nowMillis = fire;
        bench.begin();
        bench.fireAll();
        bench.tasks.execute("update twinbell.task_state set version = 2; update twinbell.task set definition = '"
                + StoredTasks.json(StoredTasks.EVERY_MINUTE) + "'");
        bench.nowMillis = fire + 1000;
        bench.fireAll();
        assertEquals(List.of("t 0 1", "t 0 1"), bench.ran);
        assertEquals(0, bench.nextOf(task) % 60_000, "by the new schedule, not a second later");
    }

    @Test
    void what_is_written_by_hand_while_its_task_fires_binds_at_the_next_slot() {
        long fire = gridTime();
        long bad = bench.task("bad", StoredTasks.EVERY_SECOND, fire);
        bench.task("good", StoredTasks.EVERY_SECOND, fire);
        bench.nowMillis = fire;
        bench.begin();
        bench.fireAll();
        bench.tasks.execute("update twinbell.task set definition = '{\"schedule\": 5}' where id = " + bad);
        bench.nowMillis = fire + 1000;
        bench.fireAll();
        assertEquals(
                List.of("bad 0 1", "good 0 1", "good 0 1"),
                bench.ran.stream().sorted().toList());
        assertEquals(
                List.of("ERROR"), bench.tasks.query("select state from twinbell.task_state where task_id = " + bad));
    }

    @Test
    void a_task_that_was_paused_or_removed_unheard_does_not_fire() {
        long fire = gridTime();
        bench.task("paused", StoredTasks.EVERY_SECOND, fire);
        bench.task("removed", StoredTasks.EVERY_SECOND, fire);
        bench.nowMillis = fire;
        bench.begin();
        bench.tasks.execute("update twinbell.task_state s set state = 'PAUSED', version = 2 from twinbell.task t"
                + " where t.id = s.task_id and name = 'paused'; delete from twinbell.task where name = 'removed'");
        bench.fireAll();
        assertEquals(List.of(), bench.ran);
        assertEquals(0, bench.trigger.heapSize());
    }

    @Test
    void a_claim_whose_answer_is_lost_after_the_commit_runs_once() {
        bench.task("t", StoredTasks.EVERY_MINUTE, bench.nowMillis);
        bench.begin();
        bench.losesTheNextAnswer();
        bench.fireAll();
        assertEquals(List.of("t 0 1"), bench.ran);
        assertEquals(List.of("t SUCCEEDED 1"), bench.ledger());
    }

    @Test
    void a_claim_whose_connection_is_killed_before_the_commit_is_made_again_and_runs_once() throws Exception {
        bench.task("t", StoredTasks.EVERY_MINUTE, bench.nowMillis);
        bench.begin();
        bench.trigger.step(bench.nowMillis * 1_000_000);
        try (Connection promotion = DATABASE.getConnection()) {
            promotion.setAutoCommit(false);
            promotion.createStatement().execute("select * from twinbell.epoch for update");
            Thread claiming = new Thread(bench.claimer::step);
            claiming.start();
            await().until(() -> 1
                    == bench.tasks.number("select count(pg_terminate_backend(pid)) from pg_stat_activity"
                            + " where datname = current_database() and application_name like '%/claim/%'"
                            + " and wait_event_type = 'Lock'"));
            claiming.join();
            promotion.rollback();
        }
        assertTrue(bench.claimer.isInDoubt());
        bench.fireAll();
        assertFalse(bench.claimer.isInDoubt());
        assertEquals(List.of("t 0 1"), bench.ran);
        assertEquals(List.of("t SUCCEEDED 1"), bench.ledger());
    }

    @Test
    void nobody_settles_a_claim_while_it_is_in_doubt_whether_it_was_made() {
        bench.task("drop", StoredTasks.EVERY_MINUTE, bench.nowMillis);
        bench.task("rerun", StoredTasks.EVERY_MINUTE, bench.nowMillis, RERUN);
        Epoch epoch = bench.begin();
        bench.losesTheNextAnswer();
        bench.trigger.step(bench.nowMillis * 1_000_000);
        bench.claimer.step();
        bench.tasks.execute("update twinbell.execution set claimed_at = claimed_at - interval '1 minute'");
        bench.settler.step(epoch);
        bench.fireAll();
        assertEquals(
                List.of("drop 0 1", "rerun 0 1"), bench.ran.stream().sorted().toList());
        assertEquals(List.of("drop SUCCEEDED 1", "rerun SUCCEEDED 1"), bench.ledger());
    }

    @Test
    void rows_of_this_epoch_that_nobody_holds_are_settled_once_they_are_old_enough() {
        Epoch epoch = bench.openEpoch();
        long drop = bench.task("drop", StoredTasks.EVERY_MINUTE, bench.nowMillis + 60_000);
        long rerun = bench.task("rerun", StoredTasks.EVERY_MINUTE, bench.nowMillis + 60_000, RERUN);
        claimedRow(drop, "drop", epoch.number(), 1);
        claimedRow(rerun, "rerun", epoch.number(), 1);
        bench.settler.step(epoch);
        assertEquals(List.of("drop CLAIMED 1", "rerun CLAIMED 1"), bench.ledger());
        bench.tasks.execute("update twinbell.execution set claimed_at = claimed_at - interval '6 seconds'");
        bench.settler.step(epoch);
        bench.fireAll();
        assertEquals(List.of("drop DROPPED 1", "rerun SUCCEEDED 2"), bench.ledger());
    }

    @Test
    void while_firing_is_held_no_orphan_runs_again() {
        Epoch old = bench.openEpoch();
        long drop = bench.task("drop", StoredTasks.EVERY_MINUTE, bench.nowMillis + 60_000);
        long rerun = bench.task("rerun", StoredTasks.EVERY_MINUTE, bench.nowMillis + 60_000, RERUN);
        claimedRow(drop, "drop", old.number(), 1);
        claimedRow(rerun, "rerun", old.number(), 1);
        Epoch next = bench.openEpoch();
        bench.pause(true);
        bench.settler.begin(Predecessor.over(old.number()));
        bench.settler.step(next);
        bench.fireAll();
        assertEquals(List.of("drop DROPPED 1", "rerun CLAIMED 1"), bench.ledger());
        assertEquals(List.of(), bench.ran);
        bench.pause(false);
        bench.settler.step(next);
        bench.fireAll();
        assertEquals(List.of("drop DROPPED 1", "rerun SUCCEEDED 2"), bench.ledger());
    }

    @Test
    void orphans_are_left_alone_until_the_old_masters_trust_is_surely_over() {
        Epoch old = bench.openEpoch();
        long drop = bench.task("drop", StoredTasks.EVERY_MINUTE, bench.nowMillis + 60_000);
        claimedRow(drop, "drop", old.number(), 1);
        Epoch next = bench.openEpoch();
        bench.settler.begin(Predecessor.unknown(old.number()));
        bench.ticker.pass(TrustWindow.WINDOW.minusMillis(1));
        bench.settler.step(next);
        assertEquals(List.of("drop CLAIMED 1"), bench.ledger());
        bench.ticker.pass(Duration.ofMillis(1));
        bench.settler.step(next);
        assertEquals(List.of("drop DROPPED 1"), bench.ledger());
    }

    @Test
    void of_a_process_proven_dead_orphans_are_settled_at_once_and_what_was_due_after_its_death_simply_runs() {
        Epoch old = bench.openEpoch();
        long begun = bench.task("begun", StoredTasks.EVERY_MINUTE, bench.nowMillis + 60_000, RERUN);
        long dropped = bench.task("dropped", StoredTasks.EVERY_MINUTE, bench.nowMillis + 60_000);
        long ahead = bench.task("ahead", StoredTasks.EVERY_MINUTE, bench.nowMillis + 60_000);
        long death = bench.nowMillis - 1001;
        claimedRow(begun, "begun", old.number(), 1);
        claimedRow(dropped, "dropped", old.number(), 1);
        claimedRow(ahead, "ahead", old.number(), 1);
        bench.tasks.execute("update twinbell.execution set fire_time = twinbell.instant(" + death
                + ") where name in ('begun', 'dropped')");
        Epoch next = bench.begin();
        bench.settler.begin(Predecessor.deadSince(old.number(), death));
        bench.settler.step(next);
        bench.fireAll();
        assertEquals(List.of("begun SUCCEEDED 2", "dropped DROPPED 1", "ahead SUCCEEDED 1"), bench.ledger());
    }

    @Test
    void what_a_settlement_claimed_again_runs_though_its_answer_was_lost() {
        Epoch old = bench.openEpoch();
        long ahead = bench.task("ahead", StoredTasks.EVERY_MINUTE, bench.nowMillis + 60_000);
        long begun = bench.task("begun", StoredTasks.EVERY_MINUTE, bench.nowMillis + 60_000, RERUN);
        long death = bench.nowMillis - 1001;
        claimedRow(ahead, "ahead", old.number(), 1);
        claimedRow(begun, "begun", old.number(), 1);
        bench.tasks.execute(
                "update twinbell.execution set fire_time = twinbell.instant(" + death + ") where name = 'begun'");
        Epoch next = bench.begin();
        bench.settler.begin(Predecessor.deadSince(old.number(), death));
        bench.losesSettlementAnswer = true;
        assertThrows(DatabaseUnavailableException.class, () -> bench.settler.step(next));
        bench.tasks.execute("update twinbell.execution set claimed_at = claimed_at - interval '6 seconds'");
        bench.settler.step(next);
        bench.fireAll();
        assertEquals(List.of("begun SUCCEEDED 2", "ahead SUCCEEDED 1"), bench.ledger());
        bench.settler.step(next);
        bench.fireAll();
        assertEquals(2, bench.ran.size(), bench.ran.toString());
    }

    @Test
    void what_was_settled_at_the_second_attempt_is_in_doubt_no_more() {
        Epoch old = bench.openEpoch();
        long ahead = bench.task("ahead", StoredTasks.EVERY_MINUTE, bench.nowMillis + 60_000);
        claimedRow(ahead, "ahead", old.number(), 1);
        Epoch next = bench.begin();
        bench.settler.begin(Predecessor.deadSince(old.number(), bench.nowMillis - 1001));
        bench.losesSettlement = true;
        assertThrows(DatabaseUnavailableException.class, () -> bench.settler.step(next));
        bench.settler.step(next);
        bench.fireAll();
        assertEquals(List.of("ahead SUCCEEDED 1"), bench.ledger());
        bench.tasks.execute("update twinbell.execution set state = 'CLAIMED', ended_at = null,"
                + " claimed_at = claimed_at - interval '6 seconds'");
        bench.settler.step(next);
        bench.fireAll();
        assertEquals(List.of("ahead DROPPED 1"), bench.ledger(), "it had begun, and its outcome was lost");
        assertEquals(1, bench.ran.size(), bench.ran.toString());
    }

    @Test
    void that_the_last_master_is_over_says_nothing_of_the_one_before_it() {
        Epoch older = bench.openEpoch();
        Epoch old = bench.openEpoch();
        claimedRow(bench.task("older", StoredTasks.EVERY_MINUTE, bench.nowMillis + 60_000), "older", older.number(), 1);
        claimedRow(bench.task("old", StoredTasks.EVERY_MINUTE, bench.nowMillis + 60_000), "old", old.number(), 1);
        Epoch next = bench.openEpoch();
        bench.settler.begin(Predecessor.over(old.number()));
        bench.settler.step(next);
        assertEquals(
                List.of("old DROPPED 1", "older CLAIMED 1"),
                bench.ledger().stream().sorted().toList());
        bench.ticker.pass(TrustWindow.WINDOW);
        bench.settler.step(next);
        assertEquals(
                List.of("old DROPPED 1", "older DROPPED 1"),
                bench.ledger().stream().sorted().toList());
    }

    @Test
    void a_run_asked_for_by_hand_is_made_once_though_the_answer_to_its_claim_was_lost() {
        Epoch epoch = bench.begin();
        bench.fireAll();
        long task = bench.task("t", StoredTasks.EVERY_MINUTE, bench.nowMillis + 60_000);
        bench.tasks.execute("insert into twinbell.execution (task_id, fire_time, app, name, state) values (" + task
                + ", twinbell.instant(" + bench.nowMillis + "), 'app', 't', 'PENDING')");
        bench.losesPendingAnswer = true;
        bench.claimer.pendingChanged();
        bench.claimer.step();
        assertTrue(bench.claimer.isInDoubt());
        bench.tasks.execute("update twinbell.execution set claimed_at = claimed_at - interval '1 minute'");
        bench.settler.step(epoch);
        bench.fireAll();
        assertEquals(List.of("t SUCCEEDED 1"), bench.ledger());
    }

    @Test
    void a_task_that_waits_for_a_run_which_is_not_there_is_set_going_again() {
        Epoch epoch = bench.openEpoch();
        bench.task("t", StoredTasks.DELAY_OF_A_MINUTE, bench.nowMillis);
        bench.tasks.execute("update twinbell.task_state set next_fire_time = null");
        bench.settler.step(epoch);
        assertEquals(
                1, bench.tasks.number("select count(*) from twinbell.task_state where next_fire_time is not null"));
    }

    @Test
    void a_run_that_this_process_holds_is_never_settled_however_old_its_claim() {
        bench.task("t", StoredTasks.EVERY_MINUTE, bench.nowMillis, RERUN);
        Epoch epoch = bench.begin();
        bench.handler = context -> {
            bench.tasks.execute("update twinbell.execution set claimed_at = claimed_at - interval '1 hour'");
            bench.settler.step(epoch);
            return null;
        };
        bench.fireAll();
        assertEquals(List.of("t SUCCEEDED 1"), bench.ledger());
    }

    @Test
    void orphans_of_an_older_epoch_are_dropped_or_run_again_as_their_task_says() {
        long old = bench.openEpoch().number();
        long drop = bench.task("drop", StoredTasks.EVERY_MINUTE, bench.nowMillis + 60_000);
        long rerun = bench.task("rerun", StoredTasks.EVERY_MINUTE, bench.nowMillis + 60_000, RERUN);
        claimedRow(drop, "drop", old, 1);
        claimedRow(rerun, "rerun", old, 2);
        Epoch epoch = bench.begin();
        bench.settler.step(epoch);
        bench.fireAll();
        assertEquals(List.of("drop DROPPED 1", "rerun SUCCEEDED 3"), bench.ledger());
        assertEquals(List.of("rerun -1000 3"), bench.ran);
    }

    @Test
    void a_fenced_master_starts_no_handler_and_says_so() {
        long task = bench.task("t", StoredTasks.EVERY_MINUTE, bench.nowMillis);
        Epoch epoch = bench.begin();
        bench.trigger.step(bench.nowMillis * 1_000_000);
        bench.openEpoch();
        bench.fireAll();
        assertEquals(List.of(), bench.ran);
        assertEquals(List.of(), bench.ledger());
        assertEquals(List.of(epoch.number() + " 1"), bench.fenced);
        assertEquals(bench.nowMillis, bench.nextOf(task));
    }

    @Test
    void a_run_that_was_claimed_before_a_freeze_does_not_start_after_it() {
        long fire = bench.nowMillis + 40;
        bench.task("t", StoredTasks.EVERY_MINUTE, fire);
        bench.begin();
        bench.fireAll();
        assertEquals(List.of("t CLAIMED 1"), bench.ledger());
        bench.ticker.pass(Duration.ofMinutes(1));
        bench.openEpoch();
        bench.nowMillis = fire;
        bench.fireAll();
        assertEquals(List.of(), bench.ran);
        assertEquals(1, bench.fenced.size());
    }

    @Test
    void a_run_that_waited_longer_than_the_trust_window_starts_after_a_fresh_look() {
        long fire = bench.nowMillis + 40;
        bench.task("t", StoredTasks.EVERY_MINUTE, fire);
        bench.begin();
        bench.fireAll();
        bench.ticker.pass(Duration.ofMinutes(1));
        bench.nowMillis = fire;
        bench.fireAll();
        assertEquals(List.of("t 0 1"), bench.ran);
    }

    @Test
    void a_definition_that_cannot_be_read_sets_its_task_aside_and_stops_nobody_else() {
        long bad = bench.tasks.insert("bad", "{\"schedule\":{\"cron\":\"never\"}}", bench.nowMillis);
        bench.task("good", StoredTasks.EVERY_MINUTE, bench.nowMillis);
        bench.begin();
        bench.fireAll();
        assertEquals(List.of("good 0 1"), bench.ran);
        assertEquals(
                List.of("ERROR|t"),
                bench.tasks.query(
                        "select state, length(state_reason) > 10 from twinbell.task_state where task_id = " + bad));
        assertEquals(1, bench.trigger.heapSize());
    }

    @Test
    void a_definition_that_cannot_be_read_and_whose_row_somebody_holds_stops_nobody_else_either() throws Exception {
        long bad = bench.tasks.insert("bad", "{\"schedule\":{\"cron\":\"never\"}}", bench.nowMillis);
        bench.task("good", StoredTasks.EVERY_MINUTE, bench.nowMillis);
        bench.begin();
        try (Connection application = DATABASE.getConnection()) {
            application.setAutoCommit(false);
            application
                    .createStatement()
                    .execute("select * from twinbell.task_state where task_id = " + bad + " for update");
            bench.fireAll();
            assertEquals(List.of("good 0 1"), bench.ran);
            application.rollback();
        }
        assertEquals("ACTIVE", stateOf(bad));
        bench.nowMillis += 1000;
        bench.fireAll();
        assertEquals("ERROR", stateOf(bad));
    }

    @Test
    void a_definition_that_was_repaired_without_a_word_is_read_before_its_task_is_set_aside() {
        long bad = bench.tasks.insert("bad", "{\"schedule\":{\"cron\":\"never\"}}", bench.nowMillis);
        bench.begin();
        bench.table.definitions(new long[] {bad}, 1);
        bench.tasks.execute("update twinbell.task_state set version = 2");
        bench.tasks.execute("update twinbell.task set updated_at = clock_timestamp(), definition = '"
                + StoredTasks.json(StoredTasks.EVERY_MINUTE) + "'");
        bench.fireAll();
        bench.nowMillis += 1000;
        bench.fireAll();
        assertEquals("ACTIVE", stateOf(bad));
        assertEquals(List.of("bad -1000 1"), bench.ran);
    }

    private String stateOf(long task) {
        return bench.tasks
                .query("select state from twinbell.task_state where task_id = " + task)
                .get(0);
    }

    @Test
    void the_runs_of_a_fixed_delay_follow_each_other() {
        long task = bench.task("t", StoredTasks.DELAY_OF_A_MINUTE, bench.nowMillis);
        bench.begin();
        bench.handler = context -> {
            assertEquals(0, bench.tasks.number("select count(next_fire_time) from twinbell.task_state"));
            bench.nowMillis += 7000;
            return null;
        };
        long began = bench.nowMillis;
        bench.fireAll();
        assertEquals(began + 67_000, bench.nextOf(task));
        bench.fireAll();
        bench.nowMillis = began + 67_000;
        bench.fireAll();
        assertEquals(2, bench.ran.size());
    }

    @Test
    void a_fixed_delay_goes_on_after_its_run_was_dropped() {
        long old = bench.openEpoch().number();
        long task = bench.task("t", StoredTasks.DELAY_OF_A_MINUTE, bench.nowMillis);
        claimedRow(task, "t", old, 1);
        bench.tasks.execute("update twinbell.task_state set next_fire_time = null");
        Epoch epoch = bench.begin();
        bench.nowMillis = epoch.openedAtMillis();
        bench.settler.step(epoch);
        assertEquals(bench.nowMillis + 60_000, bench.nextOf(task));
        bench.fireAll();
        bench.nowMillis += 60_000;
        bench.fireAll();
        assertEquals(List.of("t 0 1"), bench.ran);
    }

    @Test
    void a_pending_row_is_claimed_and_run_whatever_its_task_does_meanwhile() {
        long task = bench.task("t", StoredTasks.EVERY_MINUTE, bench.nowMillis + 60_000);
        bench.tasks.execute("insert into twinbell.execution (task_id, fire_time, app, name, state, reason) values ("
                + task + ", twinbell.instant(" + (bench.nowMillis - 1) + "), 'test', 't', 'PENDING', 'by hand')");
        bench.begin();
        bench.fireAll();
        assertEquals(List.of("t -1 1"), bench.ran);
        assertEquals(List.of("SUCCEEDED|by hand"), bench.tasks.query("select state, reason from twinbell.execution"));
    }

    @Test
    void pending_rows_of_a_task_that_was_removed_or_cannot_be_read_get_an_outcome_too() {
        long bad = bench.tasks.insert("bad", "{}", bench.nowMillis + 60_000);
        bench.tasks.execute("insert into twinbell.execution (task_id, fire_time, app, name, state) values"
                + " (4711, twinbell.instant(" + bench.nowMillis + "), 'test', 'gone', 'PENDING'), (" + bad
                + ", twinbell.instant(" + bench.nowMillis + "), 'test', 'bad', 'PENDING')");
        bench.begin();
        bench.fireAll();
        assertEquals(
                List.of("bad FAILED 1", "gone CANCELLED 1"),
                bench.ledger().stream().sorted().toList());
    }

    @Test
    void waiting_rows_of_a_removed_task_are_not_claimed_faster_than_their_outcomes_are_recorded() {
        bench.tasks.execute("insert into twinbell.execution (task_id, fire_time, app, name, state)"
                + " select 4711, twinbell.instant(" + bench.nowMillis + " - n), 'test', 'gone', 'PENDING'"
                + " from generate_series(1, 6000) n");
        bench.begin();
        for (int step = 0; step < 100; step++) {
            bench.claimer.step();
        }
        String claimed = "select count(*) from twinbell.execution where state = 'CLAIMED'";
        int held = Integer.parseInt(bench.tasks.query(claimed).get(0));
        assertTrue(held >= 2000 && held < 4000, held + " claimed");
        for (int round = 0; round < 20; round++) {
            bench.fireAll();
        }
        assertEquals(
                List.of("CANCELLED 6000"),
                bench.tasks.query("select state || ' ' || count(*) from twinbell.execution group by state"));
    }

    @Test
    void a_slot_that_is_in_the_ledger_already_runs_nothing_and_lets_its_task_go_on() {
        long fire = gridTime();
        long task = bench.task("t", StoredTasks.EVERY_SECOND, fire);
        bench.tasks.execute("insert into twinbell.execution (task_id, fire_time, app, name, state) values (" + task
                + ", twinbell.instant(" + fire + "), 'test', 't', 'SUCCEEDED')");
        bench.nowMillis = fire;
        bench.begin();
        bench.fireAll();
        assertEquals(List.of(), bench.ran);
        assertEquals(fire + 1000, bench.nextOf(task));
    }

    @Test
    void no_more_runs_are_claimed_than_there_is_room_for_and_none_is_forgotten() {
        try (EngineBench narrow = new EngineBench(DATABASE, 3)) {
            IntStream.range(0, 10).forEach(i -> narrow.task("t" + i, StoredTasks.EVERY_MINUTE, narrow.nowMillis));
            narrow.begin();
            narrow.trigger.step(narrow.nowMillis * 1_000_000);
            narrow.claimer.step();
            narrow.claimer.step();
            assertEquals(3, narrow.ledger().size());
            for (int i = 0; i < 4; i++) {
                narrow.fireAll();
            }
            assertEquals(10, narrow.ran.size());
        }
    }

    @Test
    void every_due_task_runs_once_though_every_third_answer_is_lost_and_rows_are_held_now_and_then() {
        IntStream.range(0, 300)
                .forEach(i -> bench.task("t" + i, StoredTasks.ONCE, bench.nowMillis - i % 7, i % 2 == 0 ? RERUN : ""));
        Epoch epoch = bench.begin();
        int[] claims = new int[1];
        bench.claimStep = (real, as, batch, wanted) -> {
            var outcome = real.claim(as, batch, claims[0] % 2 == 0 ? wanted : wanted.subList(0, wanted.size() / 2));
            if (claims[0]++ % 3 == 0) {
                throw OutcomeRecorderTest.outage();
            }
            return outcome;
        };
        for (int i = 0; i < 12; i++) {
            bench.requests.addAll();
            bench.settler.step(epoch);
            bench.fireAll();
        }
        assertEquals(300, bench.ran.stream().distinct().count());
        assertEquals(300, bench.ran.size());
        assertEquals(
                List.of("300"), bench.tasks.query("select count(*) from twinbell.execution where state = 'SUCCEEDED'"));
    }

    @Test
    void what_the_table_says_is_overdue_and_the_heap_lacks_is_found_and_counted() {
        bench.begin();
        bench.task("unheard", StoredTasks.ONCE, bench.nowMillis - 10_000);
        bench.fireAll();
        assertEquals(List.of(), bench.ran, "nobody told of it");
        bench.requests.checkOverdue();
        bench.fireAll();
        assertEquals(List.of("unheard -10000 1"), bench.ran);
        assertEquals(1, bench.registry.counter("heap_misses").getCount());
    }

    @Test
    void a_task_whose_claim_failed_is_no_heap_miss_while_it_is_on_its_way_back() {
        bench.task("t", StoredTasks.ONCE, bench.nowMillis - 10_000);
        bench.begin();
        bench.claimStep = (real, as, batch, wanted) -> {
            bench.claimStep = Ledger::claim;
            bench.requests.checkOverdue();
            throw OutcomeRecorderTest.outage();
        };
        bench.fireAll();
        bench.fireAll();
        assertEquals(List.of("t -10000 1"), bench.ran);
        assertEquals(0, bench.registry.counter("heap_misses").getCount());
    }

    @Test
    void a_task_whose_row_an_application_holds_is_no_heap_miss() throws Exception {
        long held = bench.task("held", StoredTasks.ONCE, bench.nowMillis - 10_000);
        bench.begin();
        try (Connection application = DATABASE.getConnection()) {
            application.setAutoCommit(false);
            application
                    .createStatement()
                    .execute("select * from twinbell.task_state where task_id = " + held + " for update");
            for (int look = 0; look < 3; look++) {
                bench.requests.checkOverdue();
                bench.fireAll();
            }
            application.rollback();
        }
        bench.fireAll();
        assertEquals(List.of("held -10000 1"), bench.ran);
        assertEquals(0, bench.registry.counter("heap_misses").getCount());
    }

    @Test
    void a_lost_notification_is_made_good_by_reading_everything() {
        bench.begin();
        bench.task("unheard", StoredTasks.EVERY_MINUTE, bench.nowMillis);
        bench.requests.addAll();
        bench.fireAll();
        assertEquals(List.of("unheard 0 1"), bench.ran);
        assertEquals(0, bench.registry.counter("heap_misses").getCount());
    }

    @Test
    void whatever_characters_a_handler_leaves_behind_its_outcome_is_recorded() {
        bench.task("t", StoredTasks.EVERY_MINUTE, bench.nowMillis);
        bench.begin();
        bench.handler = context -> "half a pair \uD83D, a zero \0, a quote ' and a {brace,\"";
        bench.fireAll();
        assertEquals(List.of("t SUCCEEDED 1"), bench.ledger());
    }

    /** A recent second: schedules of whole seconds meet it. */
    private long gridTime() {
        return bench.nowMillis / 1000 * 1000;
    }

    private void claimedRow(long task, String name, long epoch, int attempt) {
        bench.tasks.execute("insert into twinbell.execution"
                + " (task_id, fire_time, app, name, state, attempt, epoch, node, claimed_at) values (" + task
                + ", twinbell.instant(" + (bench.nowMillis - 1000) + "), 'test', '" + name + "', 'CLAIMED', " + attempt
                + ", " + epoch + ", 'a', clock_timestamp())");
    }
}
