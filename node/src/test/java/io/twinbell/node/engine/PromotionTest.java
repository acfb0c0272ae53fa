package io.twinbell.node.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.ha.role.Predecessor;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.testing.TestPostgres;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** The first moments of a master. */
class PromotionTest {
    private static final PGSimpleDataSource DATABASE = TestPostgres.freshDatabase();

    private Bench bench;

    @BeforeEach
    void prepare() {
        Bench.clear(DATABASE);
        bench = new Bench(DATABASE, 1);
    }

    @AfterEach
    void close() {
        bench.close();
    }

    @Test
    void what_is_overdue_is_claimed_before_what_waits_in_the_ledger() {
        bench.task("due", Tasks.EVERY_MINUTE, bench.nowMillis);
        pendingRun();
        bench.begin();
        step();
        assertEquals(List.of("waits PENDING 1", "due CLAIMED 1"), bench.ledger());
    }

    @Test
    void the_first_page_may_come_through_the_trigger_before_anything_else_is_looked_at() {
        bench.task("due", Tasks.EVERY_MINUTE, bench.nowMillis);
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

    @Test
    void nothing_is_settled_before_the_epoch_was_opened_by_a_clock_that_has_slept() {
        Epoch old = bench.openEpoch();
        orphanOf(old.number());
        Epoch next = bench.begin();
        bench.nowMillis = next.openedAtMillis() - 1600;
        bench.settling.begin(Predecessor.over(old.number()));
        bench.settling.step(next);
        assertEquals(List.of("orphan DROPPED 1"), bench.ledger());
        assertEquals(next.openedAtMillis(), endedMillis());
    }

    @Test
    void later_a_clock_that_was_set_back_is_what_counts() {
        Epoch epoch = bench.begin();
        bench.settling.begin(Predecessor.over(epoch.number() - 1));
        bench.ticker.pass(Trust.WINDOW);
        orphanOf(epoch.number());
        bench.tasks.execute("update twinbell.execution set claimed_at = claimed_at - interval '1 minute'");
        bench.nowMillis = epoch.openedAtMillis() - 600_000;
        bench.settling.step(epoch);
        assertEquals(bench.nowMillis, endedMillis());
    }

    private long endedMillis() {
        return bench.tasks.number("select twinbell.millis(ended_at) from twinbell.execution");
    }

    private void orphanOf(long epoch) {
        long task = bench.task("orphan", Tasks.EVERY_MINUTE, bench.nowMillis + 60_000);
        bench.tasks.execute("insert into twinbell.execution"
                + " (task_id, fire_time, app, name, state, attempt, epoch, node, claimed_at) values (" + task
                + ", twinbell.instant(" + (bench.nowMillis - 3_600_000) + "), 'app', 'orphan', 'CLAIMED', 1, " + epoch
                + ", 'a', clock_timestamp())");
    }

    private void pendingRun() {
        long task = bench.task("waits", Tasks.EVERY_MINUTE, bench.nowMillis + 60_000);
        bench.tasks.execute("insert into twinbell.execution (task_id, fire_time, app, name, state) values (" + task
                + ", twinbell.instant(" + (bench.nowMillis - 1000) + "), 'app', 'waits', 'PENDING')");
    }

    private void step() {
        bench.trigger.step(bench.nowMillis * 1_000_000);
        bench.claimer.step();
    }
}
