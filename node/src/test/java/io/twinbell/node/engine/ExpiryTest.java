package io.twinbell.node.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.twinbell.node.execution.store.ExecutionQueries.ManualRun;
import io.twinbell.node.execution.store.JdbcExecutionQueries;
import io.twinbell.node.execution.store.JdbcExecutionRequests;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.Slot;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** Slots that have not started within the time that their task allows: here ten seconds. */
class ExpiryTest {
    private static final PGSimpleDataSource DATABASE = EngineBench.DATABASE;
    private static final String TEN_SECONDS = ",\"expireAfter\":\"PT10S\"";
    private static final String EXPIRED = "expired: not started within PT10S of its fire time";

    @AutoClose
    private final EngineBench bench = EngineBench.cleared(DATABASE, 1000);

    private final long first = bench.nowMillis;

    private List<String> reasons() {
        return bench.tasks.query("select reason from twinbell.execution where state = 'MISSED' and started_at is null");
    }

    @Test
    void an_overdue_one_shot_expires_after_an_outage() {
        long late = bench.task("late", StoredTasks.ONCE, first - 10_001, TEN_SECONDS);
        bench.task("just", StoredTasks.ONCE, first - 10_000, TEN_SECONDS);
        bench.beginAndFire();
        assertEquals(List.of("late MISSED 1", "just SUCCEEDED 1"), bench.ledger());
        assertEquals(List.of("just -10000 1"), bench.ran);
        assertEquals(List.of(EXPIRED), reasons());
        bench.tasks.assertRows("select state from twinbell.task_state where task_id = " + late, "FINISHED");
    }

    @Test
    void a_claimed_slot_expires_while_it_waits_for_a_worker() {
        bench.task("t1", StoredTasks.ONCE, first, TEN_SECONDS);
        bench.task("t2", StoredTasks.ONCE, first, TEN_SECONDS);
        bench.onRun(context -> bench.nowMillis += 10_001);
        bench.beginAndFire();
        bench.tasks.assertRows("select state from twinbell.execution order by state", "MISSED", "SUCCEEDED");
        assertEquals(List.of(EXPIRED), reasons());
        assertEquals(1, bench.registry.counter("missed_slots.expired").getCount());
        assertEquals(1, bench.registry.counter("executions.missed").getCount());
    }

    @Test
    void a_queued_slot_expires_and_its_successor_runs() {
        long task = bench.task("t", StoredTasks.EVERY_MINUTE, first, TEN_SECONDS + ",\"overlap\":\"QUEUE\"");
        bench.onRun(context -> {
            if (context.fireTime().toEpochMilli() == first) {
                bench.passes(60_000 + 10_001);
            }
        });
        bench.begin();
        bench.fireAll(3);
        assertEquals("t MISSED 1", bench.ledger().get(1));
        assertEquals(List.of(EXPIRED), reasons());
        bench.nowMillis = bench.nextOf(task);
        bench.fireAll(2);
        assertEquals("t SUCCEEDED 1", bench.ledger().get(2));
    }

    @Test
    void a_slot_expires_while_it_waits_for_a_limit() {
        bench.tasks.execute("insert into twinbell.run_limit (key, max_running) values ('db1', 1)");
        bench.limits.changed();
        bench.task("t1", StoredTasks.ONCE, first, TEN_SECONDS + ",\"concurrencyKey\":\"db1\"");
        bench.task("t2", StoredTasks.ONCE, first, TEN_SECONDS + ",\"concurrencyKey\":\"db1\"");
        bench.onRun(context -> bench.passes(10_001));
        bench.begin();
        bench.fireAll(3);
        assertEquals(List.of("t1 SUCCEEDED 1", "t2 MISSED 1"), bench.ledger());
        assertEquals(List.of(EXPIRED), reasons());
    }

    @Test
    void a_slot_that_was_handed_back_expires_under_the_next_master() {
        bench.task("t", StoredTasks.ONCE, first, TEN_SECONDS);
        bench.beginAndFire();
        bench.tasks.execute("update twinbell.execution set state = 'PENDING', epoch = null, node = null, batch = null,"
                + " claimed_at = null, started_at = null, ended_at = null");
        bench.ran.clear();
        try (EngineBench successor = new EngineBench(DATABASE, 1000)) {
            successor.nowMillis = first + 10_001;
            successor.succeed();
            successor.fireAll();
            assertEquals(List.of("t MISSED 1"), successor.ledger());
            assertEquals(List.of(), successor.ran);
        }
    }

    @Test
    void an_orphan_that_runs_again_does_not_expire() {
        bench.task("t", StoredTasks.ONCE, first, TEN_SECONDS + ",\"orphan\":\"RERUN\"");
        bench.begin();
        bench.fireAllAndDie();
        try (EngineBench successor = new EngineBench(DATABASE, 1000)) {
            successor.nowMillis = first + 60_000;
            Epoch epoch = successor.succeed();
            successor.settler.step(epoch);
            successor.fireAll();
            assertEquals(List.of("t SUCCEEDED 2"), successor.ledger());
        }
    }

    @Test
    void a_retry_does_not_expire() {
        bench.task("t", StoredTasks.ONCE, first, TEN_SECONDS + ",\"retry\":{\"maxAttempts\":2,\"backoff\":\"PT30S\"}");
        bench.onRun(context -> {
            if (context.attempt() == 1) {
                throw new IllegalStateException("no");
            }
        });
        bench.beginAndFire();
        bench.nowMillis += 60_000;
        bench.fireAll();
        assertEquals(List.of("t SUCCEEDED 2"), bench.ledger());
    }

    @Test
    void an_expired_slot_runs_on_request() {
        long task = bench.task("t", StoredTasks.ONCE, first - 60_000, TEN_SECONDS);
        bench.beginAndFire();
        assertEquals(List.of("t MISSED 1"), bench.ledger());
        assertNull(new JdbcExecutionRequests(DATABASE)
                .rerun(new Slot(task, first - 60_000), "again")
                .orElseThrow()
                .refusal());
        bench.fireAll();
        assertEquals(List.of("t SUCCEEDED 1"), bench.ledger());
        assertEquals(
                1,
                new JdbcExecutionQueries(DATABASE)
                        .find(new Slot(task, first - 60_000))
                        .orElseThrow()
                        .claim()
                        .reruns());
    }

    @Test
    void a_run_by_hand_does_not_expire_while_it_waits() {
        long task = bench.task("t", StoredTasks.EVERY_MINUTE, first + 3_600_000, TEN_SECONDS);
        new JdbcExecutionQueries(DATABASE)
                .trigger(task, millis -> false, new ManualRun("triggered", null))
                .orElseThrow();
        bench.nowMillis += 120_000;
        bench.beginAndFire();
        assertEquals(List.of("t SUCCEEDED 1"), bench.ledger());
    }
}
