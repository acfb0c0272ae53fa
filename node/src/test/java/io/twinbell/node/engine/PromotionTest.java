package io.twinbell.node.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** The first moments of a master. */
class PromotionTest {
    private static final PGSimpleDataSource DATABASE = EngineBench.DATABASE;

    @AutoClose
    private final EngineBench bench = EngineBench.cleared(DATABASE, 1);

    @Test
    void an_overdue_slot_is_claimed_before_waiting_rows() {
        bench.task("due", StoredTasks.EVERY_MINUTE, bench.nowMillis);
        pendingRun();
        bench.begin();
        step();
        assertEquals(List.of("waits PENDING 1", "due CLAIMED 1"), bench.ledger());
    }

    @Test
    void the_first_page_may_come_through_the_trigger_before_anything_else_is_looked_at() {
        bench.task("due", StoredTasks.EVERY_MINUTE, bench.nowMillis);
        pendingRun();
        bench.begin();
        assertTrue(bench.claimer.step() > 0, "it comes back soon by itself");
        assertEquals(List.of("waits PENDING 1"), bench.ledger());
        step();
        assertEquals(List.of("waits PENDING 1", "due CLAIMED 1"), bench.ledger());
    }

    @Test
    void where_nothing_is_overdue_what_waits_comes_next() {
        pendingRun();
        bench.begin();
        bench.claimer.step();
        bench.claimer.step();
        assertEquals(List.of("waits CLAIMED 1"), bench.ledger());
    }

    private void pendingRun() {
        long task = bench.task("waits", StoredTasks.EVERY_MINUTE, bench.nowMillis + 60_000);
        bench.tasks.execute("insert into twinbell.execution (task_id, fire_time, app, name, state) values (" + task
                + ", twinbell.instant(" + (bench.nowMillis - 1000) + "), 'app', 'waits', 'PENDING')");
    }

    private void step() {
        bench.trigger.step(bench.nowMillis * 1_000_000);
        bench.claimer.step();
    }
}
