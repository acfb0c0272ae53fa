package io.twinbell.node.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.twinbell.persistence.testing.TestPostgres;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** Apps that may start three executions a minute. */
class FireQuotaFiringTest {
    private static final PGSimpleDataSource DATABASE = EngineBench.DATABASE;
    /** A period of a minute is over after 61 seconds, because starts are counted by the second. */
    private static final long MINUTE = 61_000;

    private static final String LATE = ",\"misfire\":{\"threshold\":\"P1D\"}";

    private EngineBench bench;
    private long began;

    @BeforeEach
    void begin() {
        TestPostgres.clear(DATABASE);
        bench = EngineBench.withQuota(DATABASE, 3);
        began = bench.nowMillis;
    }

    @AfterEach
    void end() {
        bench.close();
    }

    private void once(String app, int tasks) {
        for (int i = 0; i < tasks; i++) {
            bench.task(app + i, StoredTasks.ONCE, bench.nowMillis - 1000 + i, LATE);
        }
        bench.tasks.execute("update twinbell.task set app = '" + app + "' where name ~ '^" + app + "'");
    }

    private void at(long millis) {
        bench.nowMillis = began + millis;
        bench.fireAll();
    }

    private long pending() {
        return bench.tasks.number("select count(*) from twinbell.execution where state = 'PENDING'");
    }

    private void triggered(long task, int slots) {
        bench.tasks.execute("insert into twinbell.execution (task_id, fire_time, app, name, state, attempt, origin)"
                + " select id, twinbell.instant(" + (bench.nowMillis - 100)
                + " + n), app, name, 'PENDING', 1, 'TRIGGERED'"
                + " from twinbell.task, generate_series(1, " + slots + ") n where id = " + task);
    }

    @Test
    void slots_above_the_quota_run_when_a_minute_has_passed_and_none_is_lost() {
        once("shop", 7);
        bench.begin();
        at(0);
        assertEquals(3, bench.ran.size());
        at(59_000);
        assertEquals(3, bench.ran.size());
        at(MINUTE);
        assertEquals(6, bench.ran.size());
        at(2 * MINUTE);
        assertEquals(7, bench.ran.size());
        assertEquals(7, bench.tasks.number("select count(*) from twinbell.execution where state = 'SUCCEEDED'"));
    }

    @Test
    void an_app_at_its_quota_delays_no_other_app() {
        once("shop", 5);
        once("bank", 3);
        bench.begin();
        at(0);
        assertEquals(3, bench.ran.stream().filter(run -> run.startsWith("shop")).count());
        assertEquals(3, bench.ran.stream().filter(run -> run.startsWith("bank")).count());
        assertEquals(
                2,
                ((Number) bench.registry.getGauges().get("apps_at_fire_quota").getValue()).intValue());
    }

    @Test
    void rows_above_the_quota_wait_in_the_ledger_with_a_reason_and_run_later() {
        long task = bench.task("t", StoredTasks.ONCE, bench.nowMillis + 3_600_000, ",\"overlap\":\"ALLOW\"");
        bench.begin();
        triggered(task, 5);
        at(0);
        assertEquals(3, bench.ran.size());
        assertEquals(2, pending());
        bench.tasks.assertRows(
                "select distinct held_by from twinbell.execution where state = 'PENDING'", "\u0001quota:test");
        at(MINUTE);
        assertEquals(5, bench.ran.size());
        assertEquals(0, pending());
    }

    @Test
    void a_successor_counts_anew_and_takes_what_waited() {
        long task = bench.task("t", StoredTasks.ONCE, bench.nowMillis + 3_600_000, ",\"overlap\":\"ALLOW\"");
        bench.begin();
        triggered(task, 5);
        at(0);
        assertEquals(2, pending());
        bench.close();
        bench = new EngineBench(DATABASE, 1000);
        bench.beginAndFire();
        assertEquals(0, pending(), "this master has no quota");
        assertEquals(2, bench.ran.size());
    }
}
