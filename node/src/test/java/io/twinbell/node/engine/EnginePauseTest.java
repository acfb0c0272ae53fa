package io.twinbell.node.engine;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.ha.role.Predecessor;
import io.twinbell.node.engine.trigger.SystemTasks;
import io.twinbell.persistence.clock.Ticker;
import io.twinbell.persistence.cluster.Pause;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** While firing is paused an engine starts nothing. */
@Timeout(60)
class EnginePauseTest extends EngineFixture {
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
        tasks.execute("update twinbell.task set tags = '{x}' where id in (" + late + ", " + later + ")");
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
