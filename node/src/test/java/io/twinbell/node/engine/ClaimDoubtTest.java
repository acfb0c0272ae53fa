package io.twinbell.node.engine;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.node.engine.worker.OutcomeRecorderTest;
import io.twinbell.persistence.epoch.Epoch;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Claims whose answer is lost, epochs that are superseded, and trust that has expired: each slot still runs once. */
class ClaimDoubtTest extends FiringFixture {
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
        assertEquals(
                List.of("300"), bench.tasks.query("select count(*) from twinbell.execution where state = 'SUCCEEDED'"));
    }
}
