package io.twinbell.node.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.ha.role.Predecessor;
import io.twinbell.node.engine.step.TrustWindow;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.Slot;
import io.twinbell.persistence.testing.TestPostgres;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.ds.PGSimpleDataSource;

/** Claimed executions are released, step by step on a real database. */
@Timeout(60)
class ReleaseTest {
    private static final PGSimpleDataSource DATABASE = EngineBench.DATABASE;

    @AutoClose
    private final EngineBench bench = EngineBench.cleared(DATABASE, 100);

    private void wish(long task) {
        TestPostgres.execute(
                DATABASE,
                "insert into twinbell.release_request (task_id, fire_time, reason) select task_id, fire_time, 'x'"
                        + " from twinbell.execution where task_id = " + task);
    }

    private void release(Epoch epoch) {
        bench.settler.release(epoch, bench.executionRequests.release(epoch));
    }

    private long wishes() {
        return bench.tasks.number("select count(*) from twinbell.release_request");
    }

    @Test
    void a_claimed_execution_that_waits_is_released_and_dropped() {
        long task = bench.task("t", StoredTasks.ONCE, bench.nowMillis + 40);
        Epoch epoch = bench.begin();
        bench.settler.begin(Predecessor.over(0));
        bench.claimer.step();
        bench.trigger.step(bench.nowMillis * 1_000_000);
        bench.claimer.step();
        bench.trigger.step(bench.nowMillis * 1_000_000);
        bench.claimer.step();
        assertEquals(List.of("t CLAIMED 1"), bench.ledger());
        bench.nowMillis += 100;
        wish(task);
        release(epoch);
        assertEquals(List.of("t DROPPED 1"), bench.ledger());
        assertEquals(
                1,
                bench.tasks.number("select count(*) from twinbell.execution"
                        + " where reason like 'released by hand: x; attempt 1 was left %; dropped'"));
        assertEquals(0, bench.runRegistry.size());
        assertEquals(0, wishes());
    }

    @Test
    void a_run_is_interrupted_and_its_late_outcome_is_nobodys() throws Exception {
        long task = bench.task("t", StoredTasks.ONCE, bench.nowMillis - 1);
        Epoch epoch = bench.begin();
        bench.settler.begin(Predecessor.over(0));
        CountDownLatch runs = new CountDownLatch(1);
        CountDownLatch never = new CountDownLatch(1);
        bench.handler = context -> {
            runs.countDown();
            never.await();
            return "late";
        };
        CompletableFuture<Void> firing = CompletableFuture.runAsync(bench::fireAll);
        assertTrue(Eventually.isOver(runs));
        Slot slot = new Slot(task, bench.nowMillis - 1);
        assertTrue(bench.runRegistry.contains(slot));
        wish(task);
        release(epoch);
        assertEquals(List.of("t DROPPED 1"), bench.ledger());
        assertFalse(bench.runRegistry.contains(slot));
        firing.join();
        assertEquals(List.of("t DROPPED 1"), bench.ledger(), "the interrupted handler has nothing to say any more");
    }

    @Test
    void a_task_that_reruns_orphans_is_run_again() {
        Epoch old = bench.openEpoch();
        long task = bench.task("t", StoredTasks.ONCE, bench.nowMillis - 1, ",\"orphan\":\"RERUN\"");
        TestPostgres.execute(
                DATABASE,
                "insert into twinbell.execution (task_id, fire_time, app, name, state, attempt, epoch, node, claimed_at)"
                        + " select " + task + ", next_fire_time, 'test', 't', 'RUNNING', 1, " + old.number()
                        + ", 'a', clock_timestamp() from twinbell.task_state where task_id = " + task);
        Epoch epoch = bench.begin();
        bench.settler.begin(Predecessor.over(old.number()));
        wish(task);
        release(epoch);
        assertEquals(List.of(), bench.ran, "one trust window is waited for");
        assertEquals(0, wishes());
        bench.ticker.pass(TrustWindow.WINDOW);
        wish(task);
        release(epoch);
        assertEquals(List.of("t CLAIMED 2"), bench.ledger());
        bench.fireAll();
        assertEquals(List.of("t SUCCEEDED 2"), bench.ledger());
    }

    @Test
    void an_ended_execution_stays_and_a_superseded_epoch_accepts_no_request() {
        long task = bench.task("t", StoredTasks.ONCE, bench.nowMillis - 1);
        Epoch epoch = bench.beginAndFire();
        wish(task);
        Epoch next = bench.openEpoch();
        release(epoch);
        assertEquals(1, wishes());
        release(next);
        assertEquals(0, wishes());
        assertEquals(List.of("t SUCCEEDED 1"), bench.ledger());
    }
}
