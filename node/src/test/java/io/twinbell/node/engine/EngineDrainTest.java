package io.twinbell.node.engine;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.ha.role.Predecessor;
import io.twinbell.node.engine.trigger.SystemTasks;
import io.twinbell.node.execution.store.JdbcExecutionRequests;
import io.twinbell.persistence.clock.Ticker;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.Slot;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What an engine does at the end of its term: it hands back, drains, is fenced, or cancels. */
@Timeout(60)
class EngineDrainTest extends EngineFixture {
    @Test
    void claims_that_have_not_started_are_handed_back_and_run_once_under_the_next_epoch() {
        Engine busy = engine(Ticker.SYSTEM, 1);
        CountDownLatch running = new CountDownLatch(1);
        onRun(context -> {
            running.countDown();
            testIsOver.await();
        });
        busy.start(SystemTasks.Work.settling(busy::settle));
        insert("running", StoredTasks.ONCE, now() - 2000);
        Epoch old = open();
        takes(busy, old);
        assertTrue(Eventually.isOver(running));
        IntStream.range(0, 20).forEach(i -> insert("waiting" + i, StoredTasks.ONCE, now() - 1000));
        busy.everythingChanged();
        await().until(() -> busy.workers().queued() == 20);
        busy.stopClaiming(old);
        busy.handBack(old, Duration.ZERO);
        assertEquals(0, busy.workers().queued());
        assertEquals(20, tasks.number("select count(*) from twinbell.execution where state = 'PENDING'"));
        register.resign(old, Duration.ofMinutes(1));

        handler = context -> null;
        Engine next = engine(Ticker.SYSTEM);
        next.start(SystemTasks.Work.settling(next::settle));
        takes(next, open());
        await().until(() -> count("SUCCEEDED") == 20);
        assertEquals(
                1,
                count("CLAIMED") + tasks.number("select count(*) from twinbell.batch_claim"),
                "what still runs elsewhere is left alone");
        assertEquals(21, ran.stream().distinct().count());
        assertEquals(21, ran.size());
    }

    @Test
    void a_kept_claim_starts_at_the_old_master_after_the_hand_over_and_not_at_the_successor() {
        Engine old = engine(Ticker.SYSTEM);
        old.start(SystemTasks.Work.settling(old::settle));
        Epoch first = open();
        takes(old, first);
        insert("kept", StoredTasks.ONCE, now() + 300);
        old.everythingChanged();
        // On a busy machine it may have started already.
        await().until(() -> !ledger().isEmpty() || tasks.number("select count(*) from twinbell.batch_claim") == 1);
        old.stopClaiming(first);
        old.handBack(first, Duration.ofMinutes(1));
        register.resign(first, Duration.ofMinutes(1));
        Engine next = engine(Ticker.SYSTEM);
        next.start(SystemTasks.Work.settling(next::settle));
        takes(next, open());
        await().until(() -> ledger().equals(List.of("kept SUCCEEDED 1")));
        assertEquals(first.number(), tasks.number("select epoch from twinbell.execution"));
        assertEquals(List.of("kept"), List.copyOf(ran));
        await().until(() -> old.isFinished(first));
    }

    @Test
    void a_kept_claim_that_finds_no_worker_is_handed_back_after_the_hand_over_and_runs_under_the_next_epoch() {
        Engine busy = engine(Ticker.SYSTEM, 1);
        CountDownLatch running = new CountDownLatch(1);
        onRun(context -> {
            running.countDown();
            testIsOver.await();
        });
        busy.start(SystemTasks.Work.settling(busy::settle));
        insert("running", StoredTasks.ONCE, now());
        Epoch old = open();
        takes(busy, old);
        assertTrue(Eventually.isOver(running));
        insert("kept", StoredTasks.ONCE, now() + 200);
        busy.everythingChanged();
        await().until(() -> count("CLAIMED") + tasks.number("select count(*) from twinbell.batch_claim") == 2);
        busy.stopClaiming(old);
        busy.handBack(old, Duration.ofMinutes(1));
        register.resign(old, Duration.ofMinutes(1));
        Epoch later = open();
        busy.handBack(old, Duration.ZERO);
        assertEquals(
                List.of("kept PENDING 1"),
                ledger().stream().filter(row -> row.startsWith("kept")).toList());

        handler = context -> null;
        Engine next = engine(Ticker.SYSTEM);
        next.start(SystemTasks.Work.settling(next::settle));
        takes(next, later);
        await().until(() -> ledger().contains("kept SUCCEEDED 1"));
        assertEquals(List.of("running", "kept"), List.copyOf(ran));
        assertEquals(List.of(), List.copyOf(fenced), "an orderly hand-over fences nobody");
    }

    @Test
    void a_hand_back_survives_the_loss_of_its_connection() {
        Engine engine = engine(Ticker.SYSTEM);
        engine.start(SystemTasks.Work.settling(engine::settle));
        Epoch epoch = open();
        takes(engine, epoch);
        CountDownLatch running = new CountDownLatch(4);
        onRun(context -> {
            running.countDown();
            testIsOver.await();
        });
        IntStream.range(0, 10).forEach(i -> insert("t" + i, StoredTasks.ONCE, now()));
        engine.everythingChanged();
        assertTrue(Eventually.isOver(running));
        await().until(() -> engine.workers().queued() == 6);
        engine.stopClaiming(epoch);
        tasks.query("select pg_terminate_backend(pid) from pg_stat_activity"
                + " where datname = current_database() and pid <> pg_backend_pid()");
        engine.handBack(epoch, Duration.ZERO);
        assertEquals(6, count("PENDING"));
    }

    @Test
    void a_master_that_drains_still_records_and_its_task_does_not_run_beside_itself_at_the_successor() {
        Engine old = engine(Ticker.SYSTEM);
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch mayEnd = new CountDownLatch(1);
        onRun(context -> {
            running.countDown();
            mayEnd.await();
        });
        old.start(SystemTasks.Work.settling(old::settle));
        insert("t", StoredTasks.EVERY_SECOND, now() - 1000);
        Epoch first = open();
        takes(old, first);
        assertTrue(Eventually.isOver(running));
        old.stopClaiming(first);
        old.handBack(first, Duration.ZERO);
        register.resign(first, Duration.ofMinutes(1));
        Engine next = engine(Ticker.SYSTEM);
        next.start(SystemTasks.Work.settling(next::settle));
        takes(next, open());
        await().until(() -> count("SKIPPED") > 0);
        mayEnd.countDown();
        await().until(() -> old.isFinished(first));
        assertEquals(
                List.of("SUCCEEDED"),
                tasks.query("select state from twinbell.execution where epoch = " + first.number()
                        + " order by fire_time limit 1"));
        register.drained(first);
        next.settle();
        await().until(() -> ran.size() > 1);
    }

    @Test
    void a_fenced_engine_interrupts_what_runs_and_its_outcome_becomes_a_note() {
        Engine engine = engine(Ticker.SYSTEM);
        CountDownLatch running = new CountDownLatch(1);
        onRun(context -> {
            running.countDown();
            testIsOver.await();
        });
        engine.start(SystemTasks.Work.settling(engine::settle));
        insert("t", StoredTasks.ONCE, now());
        Epoch old = open();
        takes(engine, old);
        assertTrue(Eventually.isOver(running));
        open();
        engine.stopClaiming(old);
        engine.interrupt(old);
        await().until(() -> engine.isFinished(old));
        assertEquals(List.of("CLAIMED|t"), tasks.query("select state, note like '%FAILED%' from twinbell.execution"));
        assertTrue(fenced.contains(old));
    }

    @Test
    void a_hurried_drain_leaves_what_it_interrupts_to_the_successor_if_its_task_reruns() {
        Engine old = engine(Ticker.SYSTEM);
        CountDownLatch running = new CountDownLatch(2);
        onRun(context -> {
            running.countDown();
            testIsOver.await();
        });
        old.start(SystemTasks.Work.settling(old::settle));
        insert("drops", StoredTasks.ONCE, now());
        insert("reruns", StoredTasks.ONCE, now(), RERUN);
        Epoch first = open();
        old.take(first, Predecessor.over(0));
        assertTrue(Eventually.isOver(running));
        old.stopClaiming(first);
        old.handBack(first, Duration.ZERO);
        register.resign(first, Duration.ofMinutes(1));
        old.interrupt(first);
        await().until(() -> old.isFinished(first));
        register.drained(first);
        handler = context -> null;
        Engine next = engine(Ticker.SYSTEM);
        next.start(SystemTasks.Work.settling(next::settle));
        next.take(open(), Predecessor.over(first.number()));
        await().until(() ->
                ledger().stream().sorted().toList().equals(List.of("drops FAILED 1", "reruns SUCCEEDED 2")));
    }

    @Test
    void a_running_execution_is_cancelled_on_request_to_either_node() {
        Engine engine = engine(Ticker.SYSTEM);
        CountDownLatch running = new CountDownLatch(1);
        onRun(context -> {
            running.countDown();
            testIsOver.await();
        });
        long fire = now();
        engine.start(SystemTasks.Work.settling(engine::settle));
        long task = insert("t", StoredTasks.ONCE, fire);
        engine.take(open(), Predecessor.over(0));
        assertTrue(Eventually.isOver(running));
        new JdbcExecutionRequests(DATABASE).cancel(new Slot(task, fire), "cancelled: by hand");
        engine.ledgerChanged();
        await().until(() -> ledger().equals(List.of("t CANCELLED 1")));
        await().until(() -> tasks.number("select count(*) from twinbell.cancel_request") == 0);
    }

    @Test
    void handlers_that_never_return_do_not_use_up_the_workers_of_the_next_term() {
        Engine engine = engine(Ticker.SYSTEM, 2);
        CountDownLatch running = new CountDownLatch(2);
        onRun(context -> {
            running.countDown();
            Eventually.stubbornlyFor(testIsOver);
        });
        engine.start(SystemTasks.Work.settling(engine::settle));
        insert("stuck1", StoredTasks.ONCE, now());
        insert("stuck2", StoredTasks.ONCE, now());
        Epoch old = open();
        takes(engine, old);
        assertTrue(Eventually.isOver(running));
        engine.stopClaiming(old);
        engine.interrupt(old);
        handler = context -> null;
        insert("next", StoredTasks.ONCE, now());
        takes(engine, open());
        await().until(() -> ledger().contains("next SUCCEEDED 1"));
    }
}
