package io.twinbell.node.engine;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.node.engine.worker.OutcomeRecorderTest;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.claim.Ledger;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** From the table to the ledger: due tasks are claimed, run and recorded. */
class FiringTest extends FiringFixture {
    @Test
    void a_due_task_is_claimed_run_and_recorded_and_goes_on_to_its_next_fire_time() {
        long fire = gridTime();
        long task = bench.task("t", StoredTasks.EVERY_SECOND, fire);
        bench.nowMillis = fire;
        bench.begin();
        bench.handler = context -> "out";
        bench.fireAll();
        assertEquals(List.of("t 0 1"), bench.ran);
        bench.tasks.assertRows("select state, output, node from twinbell.execution", "SUCCEEDED|out|a");
        assertEquals(fire + 1000, bench.nextOf(task));
        assertEquals(0, bench.runRegistry.size());
    }

    @Test
    void a_claim_is_durable_before_its_handler_starts() {
        long fire = gridTime();
        bench.task("t", StoredTasks.EVERY_SECOND, fire);
        bench.nowMillis = fire;
        bench.begin();
        bench.handler = context -> bench.ledger();
        bench.fireAll();
        bench.tasks.assertRows("select output from twinbell.execution", "[t CLAIMED 1]");
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
    void the_runs_of_a_fixed_delay_follow_each_other() {
        long task = bench.task("t", StoredTasks.DELAY_OF_A_MINUTE, bench.nowMillis);
        bench.begin();
        bench.onRun(context -> {
            assertEquals(0, bench.tasks.number("select count(next_fire_time) from twinbell.task_state"));
            bench.nowMillis += 7000;
        });
        long began = bench.nowMillis;
        bench.fireAll();
        assertEquals(began + 67_000, bench.nextOf(task));
        bench.fireAll();
        bench.nowMillis = began + 67_000;
        bench.fireAll();
        assertEquals(2, bench.ran.size());
    }

    @Test
    void a_pending_row_is_claimed_and_run_whatever_its_task_does_meanwhile() {
        long task = bench.task("t", StoredTasks.EVERY_MINUTE, bench.nowMillis + 60_000);
        bench.tasks.execute("insert into twinbell.execution (task_id, fire_time, app, name, state, reason) values ("
                + task + ", twinbell.instant(" + (bench.nowMillis - 1) + "), 'test', 't', 'PENDING', 'by hand')");
        bench.beginAndFire();
        assertEquals(List.of("t -1 1"), bench.ran);
        bench.tasks.assertRows("select state, reason from twinbell.execution", "SUCCEEDED|by hand");
    }

    @Test
    void pending_rows_of_a_task_that_was_removed_or_cannot_be_read_get_an_outcome_too() {
        long bad = bench.tasks.insert("bad", "{}", bench.nowMillis + 60_000);
        bench.tasks.execute("insert into twinbell.execution (task_id, fire_time, app, name, state) values"
                + " (4711, twinbell.instant(" + bench.nowMillis + "), 'test', 'gone', 'PENDING'), (" + bad
                + ", twinbell.instant(" + bench.nowMillis + "), 'test', 'bad', 'PENDING')");
        bench.beginAndFire();
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
        bench.fireAll(20);
        bench.tasks.assertRows(
                "select state || ' ' || count(*) from twinbell.execution group by state", "CANCELLED 6000");
    }

    @Test
    void a_slot_that_is_in_the_ledger_already_runs_nothing_and_lets_its_task_go_on() {
        long fire = gridTime();
        long task = bench.task("t", StoredTasks.EVERY_SECOND, fire);
        bench.tasks.execute("insert into twinbell.execution (task_id, fire_time, app, name, state) values (" + task
                + ", twinbell.instant(" + fire + "), 'test', 't', 'SUCCEEDED')");
        bench.nowMillis = fire;
        bench.beginAndFire();
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
    void an_output_with_any_characters_is_recorded() {
        bench.task("t", StoredTasks.EVERY_MINUTE, bench.nowMillis);
        bench.begin();
        bench.handler = context -> "half a pair \uD83D, a zero \0, a quote ' and a {brace,\"";
        bench.fireAll();
        assertEquals(List.of("t SUCCEEDED 1"), bench.ledger());
    }

    @Test
    void an_overdue_task_that_the_heap_lacks_is_found_and_counted() {
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
        bench.fireAll(2);
        assertEquals(List.of("t -10000 1"), bench.ran);
        assertEquals(0, bench.registry.counter("heap_misses").getCount());
    }

    @Test
    void reading_all_tasks_makes_up_for_a_lost_notification() {
        bench.begin();
        bench.task("unheard", StoredTasks.EVERY_MINUTE, bench.nowMillis);
        bench.requests.addAll();
        bench.fireAll();
        assertEquals(List.of("unheard 0 1"), bench.ran);
        assertEquals(0, bench.registry.counter("heap_misses").getCount());
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
        assertTrue(bench.claimer.hasUnansweredClaim());
        bench.fireAll();
        assertFalse(bench.claimer.hasUnansweredClaim());
        assertEquals(List.of("t 0 1"), bench.ran);
        assertEquals(List.of("t SUCCEEDED 1"), bench.ledger());
    }

    @Test
    void a_claim_whose_commit_is_in_doubt_is_not_settled() {
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
    void a_run_asked_for_by_hand_is_made_once_though_the_answer_to_its_claim_was_lost() {
        Epoch epoch = bench.beginAndFire();
        long task = bench.task("t", StoredTasks.EVERY_MINUTE, bench.nowMillis + 60_000);
        bench.tasks.execute("insert into twinbell.execution (task_id, fire_time, app, name, state) values (" + task
                + ", twinbell.instant(" + bench.nowMillis + "), 'app', 't', 'PENDING')");
        bench.losesPendingAnswer = true;
        bench.claimer.pendingChanged();
        bench.claimer.step();
        assertTrue(bench.claimer.hasUnansweredClaim());
        bench.tasks.execute("update twinbell.execution set claimed_at = claimed_at - interval '1 minute'");
        bench.settler.step(epoch);
        bench.fireAll();
        assertEquals(List.of("t SUCCEEDED 1"), bench.ledger());
    }

    @Test
    void a_fenced_master_starts_no_handler_and_reports_it() {
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
        bench.beginAndFire();
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
        bench.beginAndFire();
        bench.ticker.pass(Duration.ofMinutes(1));
        bench.nowMillis = fire;
        bench.fireAll();
        assertEquals(List.of("t 0 1"), bench.ran);
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
        bench.tasks.assertRows("select count(*) from twinbell.execution where state = 'SUCCEEDED'", "300");
    }
}
