package io.twinbell.node.engine;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.ha.role.Predecessor;
import io.twinbell.node.engine.step.TrustWindow;
import io.twinbell.node.engine.trigger.SystemTasks;
import io.twinbell.persistence.clock.Ticker;
import io.twinbell.persistence.cluster.Pause;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.testing.HandTicker;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** An engine with its real threads fires tasks, and settles what an earlier master left. */
@Timeout(60)
class EngineTest extends EngineFixture {
    @Test
    void tasks_fire_as_soon_as_their_epoch_is_taken_and_no_more_when_claiming_stops() {
        Engine engine = engine(Ticker.SYSTEM);
        engine.start(SystemTasks.Work.settling(engine::settle));
        insert("first", StoredTasks.ONCE, now());
        Epoch epoch = open();
        takes(engine, epoch);
        await().until(() -> ledger().equals(List.of("first SUCCEEDED 1")));
        engine.stopClaiming(epoch);
        insert("second", StoredTasks.ONCE, now());
        engine.everythingChanged();
        assertTrue(engine.isFinished(epoch));
        await().until(() -> engine.heapSize() == 0);
        assertEquals(List.of("first"), List.copyOf(ran));
    }

    @Test
    void orphans_wait_for_the_end_of_the_old_masters_trust_whatever_happens_meanwhile() {
        HandTicker ticker = new HandTicker();
        Engine engine = engine(ticker);
        long orphan = insert("orphan", StoredTasks.ONCE, now() + 60_000, RERUN);
        claimedUnder(open(), orphan, "orphan");
        engine.take(open(), Predecessor.unknown(1));
        ticker.pass(TrustWindow.WINDOW.minusMillis(10));
        engine.ledgerChanged();
        Duration again = engine.settle();
        assertEquals(List.of("orphan CLAIMED 1"), ledger(), "the old master may still start it");
        assertTrue(again.compareTo(Duration.ofMillis(10)) >= 0, "as soon as it is over: " + again);
        ticker.pass(again);
        settlesTo(engine, "orphan CLAIMED 2");
    }

    @Test
    void a_slot_the_old_master_could_start_has_begun_even_by_a_clock_that_slept() {
        HandTicker ticker = new HandTicker();
        Engine engine = engine(ticker);
        // By it the slot is due in a third of a second when trust has ended.
        clock.measured((now() - 2300) * 1000, ticker.nanos());
        claimedUnder(open(), insert("orphan", StoredTasks.ONCE, now() + 60_000, RERUN), "orphan");
        engine.take(open(), Predecessor.unknown(1));
        ticker.pass(TrustWindow.WINDOW);
        settlesTo(engine, "orphan CLAIMED 2");
    }

    @Test
    void an_engine_that_does_not_fire_settles_nothing() {
        assertNull(engine(new HandTicker()).settle());
    }

    @Test
    void with_room_for_few_many_due_tasks_go_through_without_waiting_for_another_wake() {
        Engine narrow = engine(Ticker.SYSTEM, 2, 2);
        narrow.start(SystemTasks.Work.settling(narrow::settle));
        tasks.insertSeries(60, StoredTasks.json(StoredTasks.ONCE), now() - 1000);
        takes(narrow, open());
        // At one claim a second, as without the wake, this would take half a minute.
        await().atMost(Duration.ofSeconds(15)).until(() -> count("SUCCEEDED") == 60);
    }

    @Test
    void overdue_slots_of_one_task_run_one_after_the_other_and_none_is_skipped_for_another() {
        Engine engine = engine(Ticker.SYSTEM);
        CountDownLatch running = new CountDownLatch(1);
        CountDownLatch mayGoOn = new CountDownLatch(1);
        onRun(context -> {
            running.countDown();
            mayGoOn.await();
        });
        long began = now() / 1000 * 1000;
        engine.start(SystemTasks.Work.settling(engine::settle));
        insert("t", StoredTasks.EVERY_SECOND, began - 9000, ",\"end\":\"" + Instant.ofEpochMilli(began) + "\"");
        engine.take(open(), Predecessor.over(0));
        assertTrue(Eventually.isOver(running));
        engine.reconcile();
        assertEquals(1, tasks.number("select count(*) from twinbell.execution"), "the others wait unclaimed");
        mayGoOn.countDown();
        await().until(() -> count("SUCCEEDED") == 10);
        assertEquals(10, tasks.number("select count(*) from twinbell.execution"));
    }

    @Test
    void a_task_may_fire_again_while_others_hold_every_worker_but_one() {
        Engine engine = engine(Ticker.SYSTEM, 2);
        onRun(context -> {
            if (context.name().equals("hog")) {
                testIsOver.await();
            }
        });
        engine.start(SystemTasks.Work.settling(engine::settle));
        insert("hog", StoredTasks.ONCE, now());
        insert("quick", "{\"every\":\"PT0.05S\"}", now());
        takes(engine, open());
        await().until(() -> ran.stream().filter("quick"::equals).count() > 10);
        assertFalse(ledger().contains("hog SUCCEEDED 1"));
    }

    @Test
    void the_heartbeat_records_a_long_run_as_RUNNING() {
        Engine engine = engine(Ticker.SYSTEM);
        CountDownLatch running = new CountDownLatch(1);
        onRun(context -> {
            running.countDown();
            testIsOver.await();
        });
        engine.start(SystemTasks.Work.settling(engine::settle));
        insert("t", StoredTasks.ONCE, now());
        takes(engine, open());
        assertTrue(Eventually.isOver(running));
        await().until(() -> {
            engine.reconcile();
            return ledger().equals(List.of("t RUNNING 1"));
        });
    }

    /** A pass that the database was too slow for changes nothing, and is made again. No time passes by the test's ticker. */
    private void settlesTo(Engine engine, String row) {
        List<String> before = ledger();
        await().until(() -> {
            engine.settle();
            return !ledger().equals(before);
        });
        assertEquals(List.of(row), ledger());
    }

    private void claimedUnder(Epoch epoch, long task, String name) {
        tasks.execute("insert into twinbell.execution (task_id, fire_time, app, name, state, epoch, node, claimed_at)"
                + " values (" + task + ", twinbell.instant(" + (now() - 1000) + "), 'test', '" + name
                + "', 'CLAIMED', " + epoch.number() + ", 'old', clock_timestamp())");
    }

    @Test
    void while_firing_is_paused_nothing_starts_and_afterwards_its_slots_are_skipped_with_the_reason() {
        Engine engine = engine(Ticker.SYSTEM);
        long began = now();
        pauses = List.of(new Pause(began - 5000, Long.MAX_VALUE, "repairs", "bob", false, null));
        engine.start(SystemTasks.Work.settling(engine::settle));
        insert("t", StoredTasks.ONCE, began - 1000);
        takes(engine, open());
        await().until(() -> engine.heapSize() >= 1);
        assertTrue(engine.isPaused());
        assertEquals(new FiringLag(0, 0, 0, 0), engine.lag(), "what a pause holds is not late");
        assertEquals(List.of(), ledger());
        pauses = List.of(new Pause(began - 5000, began, "repairs", "bob", false, null));
        engine.refreshPauses();
        await().until(() -> ledger().equals(List.of("t SKIPPED 1")));
        assertEquals(
                List.of("firing was paused by bob: repairs"), tasks.query("select reason from twinbell.execution"));
        assertTrue(ran.isEmpty());
    }

    @Test
    void a_pause_that_a_jump_of_the_clock_has_ended_is_over_at_once() {
        Engine engine = engine(Ticker.SYSTEM);
        long began = now();
        long hour = Duration.ofHours(1).toMillis();
        pauses = List.of(new Pause(began - 5000, began + hour, "repairs", "bob", false, null));
        engine.start(SystemTasks.Work.settling(engine::settle));
        insert("t", StoredTasks.ONCE, began + hour + 10);
        takes(engine, open());
        assertTrue(engine.isPaused());
        clock.measured((began + hour + 1000) * 1000, Ticker.SYSTEM.nanos());
        engine.clockJumped();
        await().until(() -> ledger().equals(List.of("t SUCCEEDED 1")));
    }

    @Test
    void a_pause_with_an_end_ends_by_itself() {
        Engine engine = engine(Ticker.SYSTEM);
        long began = now();
        pauses = List.of(new Pause(began - 5000, began + 300, "repairs", "bob", false, null));
        engine.start(SystemTasks.Work.settling(engine::settle));
        insert("within", StoredTasks.ONCE, began - 1000);
        insert("after", StoredTasks.ONCE, began + 400);
        engine.take(open(), Predecessor.over(0));
        await().until(() -> Set.copyOf(ledger()).equals(Set.of("within SKIPPED 1", "after SUCCEEDED 1")));
        assertFalse(engine.isPaused());
    }

    private static Pause standing(long fromMillis, long untilMillis, String key) {
        return new Pause(fromMillis, untilMillis, "stocktaking", "bob", false, key);
    }

    @Test
    void a_standing_pause_skips_the_slots_of_its_tasks_at_once_and_survives_the_next_epoch() {
        Engine engine = engine(Ticker.SYSTEM);
        long began = now();
        pauses = List.of(standing(began - 100, Long.MAX_VALUE, "tag:x"), standing(began, began, "app:test"));
        engine.start(SystemTasks.Work.settling(engine::settle));
        insert("free", StoredTasks.ONCE, began - 1000);
        long late = insert("late", StoredTasks.ONCE, began - 1000);
        long later = insert("later", StoredTasks.ONCE, began + 1500);
        tasks.execute("update twinbell.full_task set tags = '{x}' where id in (" + late + ", " + later + ")");
        takes(engine, open());
        await().until(() -> ledger().containsAll(List.of("free SUCCEEDED 1", "late SKIPPED 1")));
        assertFalse(engine.isPaused());
        assertEquals(1, engine.standingPauses().size());
        assertEquals(
                List.of("firing was paused by bob for tag:x: stocktaking"),
                tasks.query("select reason from twinbell.execution where name = 'late'"));
        takes(engine, open());
        await().until(() -> ledger().contains("later SKIPPED 1"));
        assertEquals(List.of("free"), List.copyOf(ran));
    }
}
