package io.twinbell.node.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.ha.role.Predecessor;
import io.twinbell.node.compile.store.JdbcSqlArrivalSource;
import io.twinbell.node.compile.store.SqlArrivalSource;
import io.twinbell.node.engine.claim.ClaimIsolation;
import io.twinbell.node.engine.step.TrustWindow;
import io.twinbell.node.engine.trigger.LookAhead;
import io.twinbell.node.schedule.Calendars;
import io.twinbell.node.task.ArrivalDecision;
import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.testing.TestPostgres;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** The database refuses one row among good ones: claims, settling and arrivals continue with the others. */
class LoopIsolationTest {
    private static final PGSimpleDataSource DATABASE = TestPostgres.freshDatabase();
    private static final int TASKS = 20;

    @AutoClose
    private final EngineBench bench = EngineBench.cleared(DATABASE, 1000);

    @AfterEach
    void close() {
        bench.tasks.execute("alter table twinbell.execution drop constraint if exists refuses");
        bench.tasks.execute("alter table twinbell.task_state drop constraint if exists refuses");
    }

    private void addTasks() {
        for (int i = 1; i <= TASKS; i++) {
            bench.task("t" + i, StoredTasks.ONCE, bench.nowMillis);
        }
    }

    private long count(String state) {
        return bench.tasks.number("select count(*) from twinbell.execution where state = '" + state + "'");
    }

    private long setAside(String loop) {
        return (Long) bench.registry.getGauges().get("loop_set_aside." + loop).getValue();
    }

    @Test
    void a_claim_that_fails_by_itself_is_put_off_and_the_others_fire() {
        addTasks();
        bench.tasks.execute("alter table twinbell.execution add constraint refuses check (name <> 't7')");
        bench.begin();
        bench.fireAll(20);
        assertEquals(TASKS - 1, count("SUCCEEDED"));
        assertEquals(1, setAside("claimer"));
        bench.nowMillis += ClaimIsolation.FIRST_PUT_OFF_MILLIS - LookAhead.LONGEST.toMillis() - 1;
        bench.fireAll();
        assertEquals(1, setAside("claimer"), "it is not tried before its time");
        bench.tasks.execute("alter table twinbell.execution drop constraint refuses");
        bench.nowMillis += ClaimIsolation.FIRST_PUT_OFF_MILLIS - LookAhead.LONGEST.toMillis() - 1;
        bench.fireAll();
        assertEquals(TASKS, bench.tasks.number("select count(distinct task_id) from twinbell.execution"));
    }

    @Test
    void an_orphan_that_cannot_be_settled_stops_no_other() {
        addTasks();
        Epoch first = bench.begin();
        bench.fireAllAndDie();
        assertEquals(TASKS, count("CLAIMED"));
        bench.tasks.execute(
                "alter table twinbell.execution add constraint refuses check (name <> 't7' or state <> 'DROPPED')");
        Epoch second = bench.begin();
        bench.runRegistry.all().forEach(bench.runRegistry::remove);
        bench.settler.begin(Predecessor.over(first.number()));
        bench.ticker.pass(TrustWindow.WINDOW.multipliedBy(2));
        bench.settler.step(second);
        assertEquals(TASKS - 1, count("DROPPED"));
        assertEquals(1, setAside("settling-rows"));
        bench.tasks.execute("alter table twinbell.execution drop constraint refuses");
        bench.settler.step(second);
        assertEquals(1, count("CLAIMED"), "it is left alone for a minute");
        bench.ticker.pass(Duration.ofMinutes(1));
        bench.settler.step(second);
        assertEquals(TASKS, count("DROPPED"));
    }

    @Test
    void a_part_of_settling_that_fails_is_seen_and_stops_no_other_part() {
        Epoch epoch = bench.begin();
        bench.tasks.number(
                "select twinbell.add_task('shop', 'a', '{\"in\":\"PT1H\"}', '{\"type\":\"java\",\"key\":\"k\"}', '{}')");
        bench.tasks.execute("alter table twinbell.failure_streak rename to failure_streak_away");
        try {
            bench.settler.step(epoch);
        } finally {
            bench.tasks.execute("alter table twinbell.failure_streak_away rename to failure_streak");
        }
        assertEquals(0, bench.tasks.number("select count(*) from twinbell.arrival"), "what comes after it is done");
        assertTrue(bench.loops.loop("settling-pauses").state().stalledNanos() > 0);
        bench.settler.step(epoch);
        assertEquals(0, bench.loops.loop("settling-pauses").state().stalledNanos());
    }

    @Test
    void a_task_by_sql_that_cannot_be_stored_gets_state_error_and_the_others_arrive() {
        Epoch epoch = bench.begin();
        for (int i = 1; i <= 5; i++) {
            bench.tasks.number("select twinbell.add_task('shop', 'a" + i
                    + "', '{\"in\":\"PT1H\"}', '{\"type\":\"java\",\"key\":\"k\"}', '{}')");
        }
        long third = bench.tasks.number("select id from twinbell.task where name = 'a3'");
        bench.tasks.execute("alter table twinbell.task_state add constraint refuses check (task_id <> " + third
                + " or next_fire_time is null)");
        bench.settler.step(epoch);
        assertEquals(
                4,
                bench.tasks.number("select count(*) from twinbell.task_state where state = 'ACTIVE'"
                        + " and next_fire_time is not null"));
        assertEquals(
                1,
                bench.tasks.number("select count(*) from twinbell.task_state where state = 'ERROR'"
                        + " and state_reason like '%refuses%' and task_id = " + third));
        assertEquals(0, bench.tasks.number("select count(*) from twinbell.arrival"));
    }

    @Test
    void a_change_by_sql_that_always_meets_an_internal_error_delays_no_other_and_is_seldom_tried() {
        bench.tasks.query("select twinbell.add_task('shop', n || i, '{\"in\":\"PT1H\"}',"
                + " '{\"type\":\"java\",\"key\":\"k\"}', '{}') from unnest(array['a', 'r']) n,"
                + " generate_series(1, 6) i order by i");
        bench.tasks.query("select twinbell.remove_task('shop', 'r' || i) from generate_series(1, 6) i");
        bench.tasks.execute("create sequence twinbell.tries");
        bench.tasks.execute("create function twinbell.damaged() returns trigger language plpgsql as $$ begin"
                + " perform nextval('twinbell.tries');"
                + " raise exception 'damaged' using errcode = 'XX002'; end $$");
        bench.tasks.execute("create trigger damaged before delete on twinbell.arrival for each row"
                + " when (old.task_id <= " + bench.tasks.number("select id from twinbell.task where name = 'a4'")
                + ") execute function twinbell.damaged()");
        bench.tasks.execute("create trigger damaged before delete on twinbell.removal for each row"
                + " when (old.name <= 'r4') execute function twinbell.damaged()");
        String arrivals = "select count(*) from twinbell.arrival";
        String removals = "select count(*) from twinbell.removal";
        try (DedicatedConnection connection = new DedicatedConnection(bench.settings, "arrivals", 5)) {
            SqlArrivalSource source = new JdbcSqlArrivalSource(connection, bench.ticker);
            Runnable pass = () -> source.receive(3, new ArrivalDecision(() -> Calendars.NONE));
            for (int i = 0; i < 20; i++) {
                pass.run();
            }
            assertEquals(4, bench.tasks.number(arrivals), "the others have arrived");
            assertEquals(4, bench.tasks.number(removals));
            long tries = bench.tasks.number("select last_value from twinbell.tries");
            assertTrue(tries <= 8 * (3 + 3), "three times alone, and in as many batches: " + tries);
            assertEquals(0, bench.tasks.number("select count(*) from twinbell.task_state where state = 'ERROR'"));
            bench.tasks.execute("drop trigger damaged on twinbell.arrival");
            bench.tasks.execute("drop trigger damaged on twinbell.removal");
            bench.ticker.pass(Duration.ofMinutes(1));
            pass.run();
        } finally {
            bench.tasks.execute("drop function twinbell.damaged() cascade");
            bench.tasks.execute("drop sequence twinbell.tries");
        }
        assertEquals(0, bench.tasks.number(arrivals) + bench.tasks.number(removals));
    }
}
