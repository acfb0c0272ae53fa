package io.twinbell.node.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.node.execution.store.ExecutionFilter;
import io.twinbell.node.execution.store.ExecutionRequests;
import io.twinbell.node.execution.store.JdbcExecutionRequests;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.ExecutionState;
import io.twinbell.persistence.ledger.Slot;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.postgresql.ds.PGSimpleDataSource;

/** Single executions are cancelled or rerun on request. */
class CancelTest {
    private static final PGSimpleDataSource DATABASE = EngineBench.DATABASE;
    private static final String RETRY = ",\"retry\":{\"maxAttempts\":3,\"backoff\":\"PT10S\",\"jitter\":0}";

    private final ExecutionRequests requests = new JdbcExecutionRequests(DATABASE);

    @AutoClose
    private final EngineBench bench = EngineBench.cleared(DATABASE, 1000);

    private final long began = bench.nowMillis;

    private Slot slot;

    @Test
    void a_running_execution_is_interrupted_and_becomes_cancelled_with_the_reason_and_is_not_tried_again() {
        Epoch epoch = taskAndEpoch(RETRY);
        bench.handler = context -> {
            requests.cancel(slot, "cancelled: wrong month");
            bench.executionRequests.cancel(epoch);
            assertTrue(Thread.interrupted());
            throw new InterruptedException();
        };
        bench.fireAll();
        bench.tasks.assertRows(
                "select state, reason, error from twinbell.execution", "CANCELLED|cancelled: wrong month|");
        assertEquals(List.of("t CANCELLED 1"), bench.ledger());
        assertFalse(
                bench.executionRequests.cancel(epoch) && bench.executionRequests.cancel(epoch),
                "the wish is forgotten");
    }

    @Test
    void the_late_answer_of_a_cancelled_handler_does_not_count() {
        Epoch epoch = taskAndEpoch("");
        bench.handler = context -> {
            requests.cancel(slot, "cancelled");
            bench.executionRequests.cancel(epoch);
            Thread.interrupted();
            return "I have done it all the same";
        };
        bench.fireAll();
        assertEquals(List.of("t CANCELLED 1"), bench.ledger());
    }

    @Test
    void a_claim_that_waits_for_its_instant_is_cancelled_and_never_starts() {
        bench.nowMillis = began - 40;
        Epoch epoch = taskAndEpoch("");
        bench.fireAll();
        assertEquals(List.of("t CLAIMED 1"), bench.ledger());
        requests.cancel(slot, "cancelled");
        bench.executionRequests.cancel(epoch);
        bench.nowMillis = began;
        bench.fireAll();
        assertEquals(List.of(), bench.ran);
        assertEquals(List.of("t CANCELLED 1"), bench.ledger());
    }

    @Test
    void an_execution_that_waits_for_its_next_attempt_is_cancelled_at_once_and_its_task_goes_on() {
        Epoch epoch = taskAndEpoch(RETRY);
        bench.handler = context -> {
            throw new IllegalStateException("broken");
        };
        bench.fireAll();
        assertEquals(List.of("t RETRYING 1"), bench.ledger());
        requests.cancel(slot, "cancelled");
        bench.executionRequests.cancel(epoch);
        assertEquals(List.of("t CANCELLED 1"), bench.ledger());
        bench.nowMillis = began + 60_000;
        bench.fireAll();
        assertEquals(1, bench.ran.size());
        assertTrue(bench.runRegistry.overlap().retrying().isEmpty());
    }

    @Test
    void a_fixed_delay_goes_on_after_its_run_was_cancelled() {
        long task = bench.task("t", StoredTasks.DELAY_OF_A_MINUTE, began);
        slot = new Slot(task, began);
        Epoch epoch = bench.begin();
        bench.handler = context -> {
            requests.cancel(slot, "cancelled");
            bench.executionRequests.cancel(epoch);
            // A worker's thread is cleared by the worker.
            Thread.interrupted();
            throw new InterruptedException();
        };
        bench.fireAll();
        assertEquals(began + 60_000, bench.nextOf(task));
    }

    @Test
    void a_superseded_master_cancels_nothing() {
        Epoch epoch = taskAndEpoch(RETRY);
        bench.handler = context -> {
            throw new IllegalStateException("broken");
        };
        bench.fireAll();
        requests.cancel(slot, "cancelled");
        bench.openEpoch();
        bench.executionRequests.cancel(epoch);
        assertEquals(List.of("t RETRYING 1"), bench.ledger());
        assertEquals(1, bench.tasks.number("select count(*) from twinbell.cancel_request"));
    }

    @Test
    void a_request_for_an_ended_or_unknown_execution_is_answered() {
        taskAndEpoch("");
        assertTrue(requests.cancel(slot, "x").isEmpty());
        bench.fireAll();
        assertEquals(
                "it has ended: SUCCEEDED",
                requests.cancel(slot, "x").orElseThrow().refusal());
        assertEquals(0, bench.tasks.number("select count(*) from twinbell.cancel_request"));
    }

    @ParameterizedTest
    @EnumSource(
            value = ExecutionState.class,
            names = {"SUCCEEDED", "FAILED", "TIMED_OUT", "CANCELLED", "SKIPPED", "MISSED", "DROPPED"})
    void an_ended_slot_runs_again_as_the_next_attempt(ExecutionState ended) {
        taskAndEpoch("");
        bench.fireAll();
        bench.tasks.execute("update twinbell.execution set state = '" + ended + "', error = 'e'");
        assertEquals(null, requests.rerun(slot, "again").orElseThrow().refusal());
        assertEquals(
                "it has not ended: PENDING",
                requests.rerun(slot, "again").orElseThrow().refusal());
        bench.nowMillis += 5000;
        bench.fireAll();
        boolean hadBegun = ended != ExecutionState.SKIPPED && ended != ExecutionState.MISSED;
        assertEquals(List.of("t 0 1", "t -5000 " + (hadBegun ? 2 : 1)), bench.ran);
        bench.tasks.assertRows(
                "select state, reason, attempts -> 0 ->> 'state', attempts -> 0 ->> 'error'"
                        + " from twinbell.execution",
                "SUCCEEDED|again|" + (hadBegun ? ended + "|e" : "|"));
    }

    @Test
    void a_merged_slot_or_one_without_a_task_cannot_run_again() {
        taskAndEpoch("");
        bench.fireAll();
        bench.tasks.execute("update twinbell.execution set slots = 3, state = 'MISSED'");
        assertEquals(
                "it represents 3 slots", requests.rerun(slot, "x").orElseThrow().refusal());
        bench.tasks.execute("update twinbell.execution set slots = 1; delete from twinbell.task");
        assertEquals(
                "its task was removed", requests.rerun(slot, "x").orElseThrow().refusal());
        assertTrue(requests.rerun(new Slot(1, 1), "x").isEmpty());
    }

    @Test
    void dead_letters_are_run_again_by_filter_once_each_and_within_the_bound() {
        long task = bench.task("t", StoredTasks.ONCE, began, ",\"overlap\":\"ALLOW\"");
        bench.tasks.execute(
                "insert into twinbell.execution (task_id, fire_time, app, name, state, ended_at) select " + task
                        + ", twinbell.instant(" + began
                        + " - i), 'test', 't', case when i % 2 = 0 then 'FAILED' else 'SUCCEEDED' end,"
                        + " clock_timestamp() from generate_series(1, 1200) as i; update twinbell.task_state set state = 'PAUSED'");
        ExecutionFilter failed = new ExecutionFilter(
                new ExecutionFilter.OfTask(task, null, null, null),
                Set.of(ExecutionState.FAILED),
                null,
                null,
                null,
                null,
                null,
                false);
        assertEquals(550, requests.rerunAll(failed, "again", 550));
        assertEquals(50, requests.rerunAll(failed, "again", 10_000));
        assertEquals(0, requests.rerunAll(failed, "again", 10_000));
        bench.beginAndFire();
        assertEquals(600, bench.ran.stream().filter(line -> line.endsWith(" 2")).count());
    }

    @Test
    void a_rerun_waits_until_nothing_of_its_task_runs_and_newer_slots_do_not_go_before_it() {
        long first = Math.floorDiv(began, 1000L) * 1000;
        bench.nowMillis = first;
        long task = bench.task("t", StoredTasks.EVERY_SECOND, first);
        bench.beginAndFire();
        slot = new Slot(task, first);
        bench.onRun(context -> {
            if (bench.ran.size() == 2) {
                requests.rerun(slot, "again");
                bench.claimer.pendingChanged();
                bench.claimer.step();
                assertEquals("PENDING", state(first), "a newer one still runs");
            }
        });
        bench.nowMillis = first + 1000;
        bench.fireAll(2);
        assertEquals(List.of("t 0 1", "t 0 1", "t -1000 2"), bench.ran);
    }

    @Test
    void a_rerun_of_a_task_that_runs_beside_itself_waits_for_nobody() {
        long first = Math.floorDiv(began, 1000L) * 1000;
        bench.nowMillis = first;
        long task = bench.task("t", StoredTasks.EVERY_SECOND, first, ",\"overlap\":\"ALLOW\"");
        bench.beginAndFire();
        slot = new Slot(task, first);
        bench.onRun(context -> {
            if (bench.ran.size() == 2) {
                requests.rerun(slot, "again");
                bench.claimer.pendingChanged();
                bench.claimer.step();
                assertEquals("CLAIMED", state(first));
            }
        });
        bench.nowMillis = first + 1000;
        bench.fireAll();
        assertEquals(3, bench.ran.size());
    }

    private String state(long fireMillis) {
        return bench.tasks
                .query("select state from twinbell.execution where fire_time = twinbell.instant(" + fireMillis + ")")
                .get(0);
    }

    private Epoch taskAndEpoch(String more) {
        slot = new Slot(bench.task("t", StoredTasks.ONCE, began, more), began);
        return bench.begin();
    }
}
