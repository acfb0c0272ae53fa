package io.twinbell.node.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.node.engine.worker.OutcomeRecorderTest;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.ledger.claim.Ledger;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** The lag of a late slot grows wherever the slot is. A slot that waits because of a policy is not late. */
class LagTest {
    private static final PGSimpleDataSource DATABASE = EngineBench.DATABASE;
    private static final FiringLag NONE = new FiringLag(0, 0, 0, 0);
    private static final Duration TWENTY_SECONDS = Duration.ofSeconds(20);

    @AutoClose
    private final EngineBench bench = EngineBench.cleared(DATABASE, 1000);

    private FiringLag lag() {
        return bench.lag.measure();
    }

    private void step() {
        bench.trigger.step(bench.nowMillis * 1_000_000);
        bench.claimer.step();
    }

    @Test
    void nothing_is_late_without_tasks_or_before_their_time() {
        bench.beginAndFire();
        assertEquals(NONE, lag());
        bench.task("later", StoredTasks.ONCE, bench.nowMillis + 60_000);
        bench.requests.addAll();
        bench.fireAll();
        bench.wait(TWENTY_SECONDS);
        bench.fireAll();
        assertEquals(NONE, lag());
    }

    @Test
    void a_due_slot_grows_older_through_each_step_of_an_outage_of_the_database() {
        bench.task("t", StoredTasks.ONCE, bench.nowMillis);
        bench.begin();
        bench.trigger.step(bench.nowMillis * 1_000_000);
        for (int second = 1; second <= 20; second++) {
            bench.wait(Duration.ofSeconds(1));
            bench.breakClaims();
            assertEquals(second * 1000, lag().dueMillis(), "before the claimer's step");
            bench.claimer.step();
            assertEquals(second * 1000, lag().dueMillis(), "after it");
            bench.trigger.step(bench.nowMillis * 1_000_000);
            assertEquals(second * 1000, lag().dueMillis(), "after the trigger's");
        }
        assertEquals(20_000, lag().stalledMillis());
        bench.fireAll(2);
        assertEquals(List.of("t -20000 1"), bench.ran);
        bench.fireAll();
        assertEquals(NONE, lag());
    }

    @Test
    void a_due_slot_grows_older_while_rows_are_read_and_claims_get_no_answer() {
        bench.task("t", StoredTasks.ONCE, bench.nowMillis);
        bench.begin();
        bench.claimStep = (real, as, batch, wanted) -> {
            throw OutcomeRecorderTest.outage();
        };
        for (int second = 1; second <= 20; second++) {
            bench.wait(Duration.ofSeconds(1));
            step();
            assertEquals(second * 1000, lag().dueMillis());
            bench.claimer.step();
            assertEquals(second * 1000, lag().dueMillis());
        }
        assertEquals(20_000, lag().stalledMillis());
        bench.claimStep = Ledger::claim;
        bench.fireAll(2);
        assertEquals(NONE, lag());
    }

    @Test
    void a_slot_that_vanishes_in_an_outage_is_late_no_more() {
        long task = bench.task("t", StoredTasks.ONCE, bench.nowMillis);
        bench.begin();
        bench.claimStep = (real, as, batch, wanted) -> {
            bench.tasks.execute("delete from twinbell.task_state where task_id = " + task);
            throw OutcomeRecorderTest.outage();
        };
        bench.wait(TWENTY_SECONDS);
        step();
        assertEquals(20_000, lag().dueMillis());
        bench.fireAll();
        assertEquals(NONE, lag());
    }

    @Test
    void a_slot_whose_claim_fails_by_itself_is_put_off_for_ever_longer_and_late_all_the_time() {
        bench.task("t", StoredTasks.ONCE, bench.nowMillis);
        bench.begin();
        List<Long> tried = new ArrayList<>();
        bench.claimStep = (real, as, batch, wanted) -> {
            tried.add(lag().dueMillis());
            throw refusal();
        };
        for (int second = 1; second <= 80; second++) {
            bench.wait(Duration.ofSeconds(1));
            step();
            bench.claimer.step();
            bench.trigger.step(bench.nowMillis * 1_000_000);
            assertEquals(second * 1000, lag().dueMillis());
        }
        assertEquals(
                List.of(1_000L, 2_000L, 4_000L, 8_000L, 16_000L, 32_000L, 62_000L),
                tried.subList(0, 7),
                tried.toString());
        bench.claimStep = Ledger::claim;
        for (int second = 1; second <= 30; second++) {
            bench.wait(Duration.ofSeconds(1));
            bench.fireAll();
        }
        assertEquals(1, bench.ran.size());
        assertEquals(NONE, lag());
    }

    @Test
    void a_slot_that_is_put_off_and_whose_task_is_removed_is_late_for_a_minute_more_at_most() {
        long task = bench.task("t", StoredTasks.ONCE, bench.nowMillis);
        bench.begin();
        bench.claimStep = (real, as, batch, wanted) -> {
            throw refusal();
        };
        bench.wait(TWENTY_SECONDS);
        step();
        bench.claimer.step();
        bench.tasks.execute("delete from twinbell.task_state where task_id = " + task);
        bench.requests.add(task);
        bench.fireAll();
        bench.wait(Duration.ofSeconds(62));
        bench.claimer.step();
        assertEquals(NONE, lag());
    }

    private static DatabaseUnavailableException refusal() {
        return new DatabaseUnavailableException("refused", new SQLException("refused", "23514"));
    }

    @Test
    void a_claimed_run_that_cannot_start_is_late_since_its_fire_time() {
        bench.task("t", StoredTasks.ONCE, bench.nowMillis);
        bench.begin();
        step();
        bench.claimer.step();
        bench.wait(TWENTY_SECONDS);
        bench.breakProofs();
        bench.trigger.step(bench.nowMillis * 1_000_000);
        assertEquals(List.of(), bench.ran, "nobody could prove its epoch");
        assertEquals(20_000, lag().dueMillis());
    }

    @Test
    void the_age_of_an_unrecorded_outcome_grows() {
        bench.task("t", StoredTasks.ONCE, bench.nowMillis);
        bench.begin();
        bench.fireAllAndDie();
        assertEquals(1, bench.ran.size());
        bench.wait(TWENTY_SECONDS);
        assertEquals(new FiringLag(0, 20_000, 0, 20_000), lag());
        assertEquals(20_000, lag().millis());
        bench.record();
        assertEquals(NONE, lag());
    }

    @Test
    void a_backlog_of_ends_that_is_being_recorded_is_late_and_not_stalled() {
        bench.task("t", StoredTasks.ONCE, bench.nowMillis);
        bench.begin();
        bench.fireAllAndDie();
        bench.wait(TWENTY_SECONDS);
        bench.runRegistry.recordedAt(bench.ticker.nanos());
        assertEquals(new FiringLag(0, 20_000, 0, 0), lag());
        bench.wait(TWENTY_SECONDS);
        assertEquals(new FiringLag(0, 40_000, 0, 20_000), lag());
    }

    @Test
    void while_every_worker_is_busy_what_is_due_is_late_and_firing_is_not_stalled() {
        bench.task("t", StoredTasks.ONCE, bench.nowMillis);
        bench.begin();
        bench.trigger.step(bench.nowMillis * 1_000_000);
        bench.wait(TWENTY_SECONDS);
        bench.busyWorkers = 2;
        assertEquals(new FiringLag(20_000, 0, 0, 0), lag());
        bench.busyWorkers = 1;
        assertEquals(new FiringLag(20_000, 0, 20_000, 0), lag());
    }

    @Test
    void slots_held_by_a_pause_are_not_late() {
        bench.task("t", StoredTasks.ONCE, bench.nowMillis);
        bench.begin();
        bench.trigger.fire(false);
        bench.wait(TWENTY_SECONDS);
        bench.fireAll();
        assertEquals(NONE, lag());
    }

    @Test
    void a_slot_waiting_under_a_limit_is_not_late() {
        bench.tasks.execute("insert into twinbell.run_limit (key, max_running) values ('app:test', 1)");
        bench.limits.changed();
        bench.task("first", StoredTasks.ONCE, bench.nowMillis);
        bench.task("second", StoredTasks.ONCE, bench.nowMillis);
        bench.onRun(context -> {
            if (bench.ran.size() == 1) {
                bench.passes(20_000);
                assertEquals(NONE, lag());
            }
        });
        bench.beginAndFire();
        bench.fireAll();
        assertEquals(2, bench.ran.size());
        bench.tasks.assertRows("select state from twinbell.execution", "SUCCEEDED", "SUCCEEDED");
        assertEquals(NONE, lag());
    }

    @Test
    void a_task_whose_row_an_application_holds_is_no_heap_miss_and_not_late_and_runs_when_it_is_free()
            throws Exception {
        long held = bench.task("held", StoredTasks.ONCE, bench.nowMillis);
        bench.begin();
        try (Connection application = DATABASE.getConnection()) {
            application.setAutoCommit(false);
            application
                    .createStatement()
                    .execute("select * from twinbell.task_state where task_id = " + held + " for update");
            bench.fireAll();
            bench.wait(TWENTY_SECONDS);
            for (int i = 0; i < 3; i++) {
                step();
                bench.trigger.step(bench.nowMillis * 1_000_000);
                assertTrue(lag().dueMillis() < 1000, lag().toString());
            }
            for (int look = 0; look < 3; look++) {
                bench.requests.checkOverdue();
                bench.fireAll();
            }
            application.rollback();
        }
        bench.fireAll();
        assertEquals(List.of("held -20000 1"), bench.ran);
        assertEquals(0, bench.registry.counter("heap_misses").getCount());
        bench.fireAll();
        assertEquals(NONE, lag());
    }

    @Test
    void an_attempt_whose_time_has_come_and_that_nobody_claims_is_late() {
        bench.task("t", StoredTasks.ONCE, bench.nowMillis, ",\"retry\":{\"maxAttempts\":2,\"backoff\":\"PT5S\"}");
        bench.onRun(context -> {
            if (context.attempt() == 1) {
                throw new IllegalStateException("once");
            }
        });
        bench.beginAndFire();
        bench.fireAll();
        assertEquals(NONE, lag(), "its time has not come");
        bench.wait(TWENTY_SECONDS);
        assertTrue(lag().dueMillis() > 10_000, lag().toString());
        bench.fireAll(2);
        assertEquals(2, bench.ran.size());
        assertEquals(NONE, lag());
    }
}
