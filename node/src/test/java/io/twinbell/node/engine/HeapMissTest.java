package io.twinbell.node.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.twinbell.node.engine.worker.OutcomeRecorderTest;
import io.twinbell.persistence.ledger.claim.Ledger;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tasks that the heap lacks are found in the table, and counted. */
class HeapMissTest extends FiringFixture {
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
}
