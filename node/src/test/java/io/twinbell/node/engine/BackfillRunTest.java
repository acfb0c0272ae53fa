package io.twinbell.node.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.twinbell.node.execution.store.ExecutionQueries.ManualRun;
import io.twinbell.node.execution.store.ExecutionRequests.Backfill;
import io.twinbell.node.execution.store.JdbcExecutionQueries;
import io.twinbell.node.execution.store.JdbcExecutionRequests;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** How backfilled slots and runs with data of their own are executed, also by a successor. */
class BackfillRunTest {
    private static final PGSimpleDataSource DATABASE = EngineBench.DATABASE;
    private static final long HOUR = Duration.ofHours(1).toMillis();

    private final List<String> seen = new ArrayList<>();

    @AutoClose
    private final EngineBench bench = EngineBench.cleared(DATABASE, 1000);

    private long began;
    private long id;

    @BeforeEach
    void prepare() {
        began = bench.nowMillis;
        id = bench.task("t", "{\"every\":\"PT1H\"}", began + HOUR, ",\"data\":{\"day\":0}");
    }

    private static void passes(EngineBench bench, long millis) {
        for (long until = bench.nowMillis + millis; bench.nowMillis <= until; bench.nowMillis += 500) {
            bench.fireAll();
        }
    }

    @Test
    void backfilled_slots_run_in_order_and_a_successor_runs_the_rest() {
        List<Long> slots = List.of(began - 3 * HOUR, began - 2 * HOUR, began - HOUR);
        bench.handler = context -> seen.add(String.valueOf((context.fireTime().toEpochMilli() - began) / HOUR));
        List<Long> entered = new JdbcExecutionRequests(DATABASE)
                .backfill(id, slots, new Backfill("backfilled", Duration.ofSeconds(30), false))
                .orElseThrow();
        assertEquals(slots, entered);
        bench.begin();
        passes(bench, 20_000);
        assertEquals(List.of("-3"), seen);
        try (EngineBench successor = new EngineBench(DATABASE, 1000)) {
            successor.handler = bench.handler;
            successor.nowMillis = began + 20_000;
            successor.succeed();
            passes(successor, 80_000);
        }
        assertEquals(List.of("-3", "-2", "-1"), seen);
        bench.tasks.assertRows(
                "select origin || ' ' || state || ' ' || attempt from twinbell.execution order by fire_time",
                "BACKFILLED SUCCEEDED 1",
                "BACKFILLED SUCCEEDED 1",
                "BACKFILLED SUCCEEDED 1");
    }

    @Test
    void a_run_by_hand_has_its_own_data_also_in_its_reruns() {
        bench.handler = context -> seen.add(context.data());
        new JdbcExecutionQueries(DATABASE)
                .trigger(id, millis -> false, new ManualRun("triggered", "{\"day\":1}"))
                .orElseThrow();
        bench.begin();
        passes(bench, 20_000);
        bench.tasks.execute("update twinbell.execution set state = 'PENDING', attempt = attempt + 1");
        try (EngineBench successor = new EngineBench(DATABASE, 1000)) {
            successor.handler = bench.handler;
            successor.nowMillis = began + 20_000;
            successor.succeed();
            passes(successor, 1000);
        }
        assertEquals(List.of("{\"day\":1}", "{\"day\":1}"), seen);
    }
}
