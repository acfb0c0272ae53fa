package io.twinbell.node.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.node.engine.run.Run;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** There is room for one run at a time, so the order is seen. */
class PriorityTest {
    private static final PGSimpleDataSource DATABASE = EngineBench.DATABASE;

    private static final long NEVER = 7_000_000_000_000L;

    @AutoClose
    private EngineBench bench = EngineBench.cleared(DATABASE, 1);

    private void due(String name, int priority, long sinceMillis) {
        bench.task(name, StoredTasks.ONCE, bench.nowMillis - sinceMillis, ",\"priority\":" + priority);
    }

    private List<String> order(int runs) {
        bench.begin();
        bench.fireAll(runs);
        return bench.names();
    }

    @Test
    void the_most_urgent_due_slot_goes_first() {
        due("least", 0, 900);
        due("usual", 5, 800);
        due("most", 9, 100);
        due("more", 6, 0);
        assertEquals(List.of("most", "more", "usual", "least"), order(4));
    }

    @Test
    void the_oldest_of_the_same_priority_goes_first() {
        due("b", 5, 500);
        due("a", 5, 900);
        due("c", 5, 100);
        assertEquals(List.of("a", "b", "c"), order(3));
    }

    @Test
    void an_old_low_priority_run_overtakes_a_new_urgent_one() {
        due("starving", 0, 46_000);
        due("urgent", 9, 0);
        assertEquals(List.of("starving", "urgent"), order(2));
    }

    @Test
    void a_changed_priority_counts_from_the_next_claim() {
        due("first", 9, 0);
        due("second", 1, 0);
        bench.tasks.execute(
                "update twinbell.full_task set definition = definition || '{\"priority\": 9}' where name = 'second';"
                        + " update twinbell.full_task set definition = definition || '{\"priority\": 1}' where name = 'first'");
        assertEquals(List.of("second", "first"), order(2));
    }

    @Test
    void a_run_that_waited_under_a_limit_does_not_overtake_a_more_urgent_one() {
        bench.close();
        bench = new EngineBench(DATABASE, 3);
        bench.tasks.execute("insert into twinbell.run_limit (key, max_running) values ('a', 1), ('b', 1)");
        for (int i = 0; i < 10; i++) {
            bench.task("a" + i, StoredTasks.ONCE, bench.nowMillis - 900 + i, ",\"concurrencyKey\":\"a\"");
            bench.task("b" + i, StoredTasks.ONCE, bench.nowMillis - 800 + i, ",\"concurrencyKey\":\"b\"");
        }
        List<String> before = order(4);
        assertTrue(before.size() < 12, "the others wait under their limits");
        bench.runRegistry.add(StoredTasks.run(4711, bench.nowMillis));
        due("urgent", 9, 0);
        bench.requests.addAll();
        bench.fireAll(2);
        assertTrue(bench.ran.stream().anyMatch(run -> run.startsWith("urgent")), bench.ran.toString());
    }

    @Test
    void a_flood_of_one_app_does_not_go_before_the_task_of_another() {
        for (int i = 0; i < 5; i++) {
            due("flood" + i, 9, 10_000 + i);
        }
        due("victim", 0, 0);
        bench.tasks.execute("update twinbell.task set app = 'other' where name = 'victim'");
        List<String> order = order(6);
        assertTrue(order.indexOf("victim") < 2, order.toString());
        assertEquals(6, order.size(), "nothing is forgotten: " + order);
    }

    @Test
    void a_flood_of_waiting_rows_of_one_app_does_not_go_before_the_waiting_row_of_another() {
        long flood = bench.task("flood", StoredTasks.ONCE, NEVER, ",\"overlap\":\"ALLOW\"");
        long victim = bench.task("victim", StoredTasks.ONCE, NEVER);
        bench.tasks.execute("update twinbell.task set app = 'other' where name = 'victim'");
        bench.tasks.execute("insert into twinbell.execution (task_id, fire_time, app, name, state)"
                + " select " + flood + ", twinbell.instant(" + bench.nowMillis
                + " - 2000 + n), 'test', 'flood', 'PENDING'"
                + " from generate_series(1, 200) as n; insert into twinbell.execution (task_id, fire_time, app, name, state)"
                + " values (" + victim + ", twinbell.instant(" + bench.nowMillis + "), 'other', 'victim', 'PENDING')");
        List<String> order = order(2);
        assertTrue(order.indexOf("victim") >= 0 && order.indexOf("victim") <= 2, order.toString());
        bench.fireAll(200);
        assertEquals(201, bench.ran.size(), "nothing is forgotten");
    }

    @Test
    void workers_take_the_most_urgent_of_what_is_claimed() {
        Run usual = StoredTasks.run(TestRuns.epoch(1), 1, StoredTasks.START);
        Run urgent = StoredTasks.run(TestRuns.epoch(1), 2, StoredTasks.START + 1000, ",\"priority\":9");
        assertTrue(urgent.urgency() < usual.urgency());
    }
}
