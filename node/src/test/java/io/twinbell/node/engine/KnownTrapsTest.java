package io.twinbell.node.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.ha.role.Predecessor;
import io.twinbell.node.schedule.Calendars;
import io.twinbell.node.task.TaskChanges;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.task.JdbcTaskStore;
import io.twinbell.persistence.task.TaskPause;
import io.twinbell.persistence.task.TaskStore;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.TimeZone;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** Errors that were reported of other schedulers, one test each. The comments name the issues. */
class KnownTrapsTest {
    private static final PGSimpleDataSource DATABASE = EngineBench.DATABASE;
    private static final long MINUTE = 60_000;
    private static final String RERUNS = ",\"orphan\":\"RERUN\"";

    private final TimeZone zone = TimeZone.getDefault();
    private final TaskStore store = new JdbcTaskStore(DATABASE);

    @AutoClose
    private final EngineBench bench = EngineBench.cleared(DATABASE, 1000);

    private long first;

    @BeforeEach
    void prepare() {
        first = Math.floorDiv(bench.nowMillis, MINUTE) * MINUTE;
        bench.nowMillis = first;
    }

    @AfterEach
    void close() {
        TimeZone.setDefault(zone);
    }

    /** JobRunr #899: state of the removed task that was kept in memory harmed the new one. */
    @Test
    void a_task_that_is_made_anew_knows_nothing_of_the_last_run_of_the_one_before() {
        long old = bench.task("t", StoredTasks.EVERY_SECOND, first);
        bench.beginAndFire();
        store.change(old, TaskChanges.remove("gone", Calendars.NONE));
        bench.requests.add(old);
        bench.task("t", StoredTasks.EVERY_MINUTE, first + MINUTE);
        bench.requests.add(bench.tasks.number("select id from twinbell.task"));
        for (int second = 1; second <= 60; second++) {
            bench.nowMillis = first + second * 1000;
            bench.fireAll();
        }
        assertEquals(List.of(first, first + MINUTE), bench.slotsRun);
    }

    /** Oban #1095: one entry that could not be read stopped the schedules of all others. */
    @Test
    void one_bad_entry_stops_no_other() {
        bench.tasks.insert("bad cron", StoredTasks.json("{\"cron\":\"61 * * * *\"}"), first);
        bench.tasks.insert("no json of a task", "[1]", first);
        bench.task("good", StoredTasks.EVERY_MINUTE, first);
        bench.beginAndFire();
        assertEquals(List.of("good 0 1"), bench.ran);
        assertEquals(2, bench.tasks.number("select count(*) from twinbell.task_state where state = 'ERROR'"));
    }

    /** Dkron #1939: an execution that no longer ran blocked all later ones, and was not shown. */
    @Test
    void an_orphan_that_says_running_forbids_nothing_for_ever() {
        long task = bench.task("t", StoredTasks.EVERY_MINUTE, first);
        bench.begin();
        bench.fireAllAndDie();
        bench.tasks.execute("update twinbell.execution set state = 'RUNNING'");
        try (EngineBench successor = new EngineBench(DATABASE, 1000)) {
            successor.nowMillis = first + MINUTE;
            successor.succeed();
            successor.fireAll();
            assertEquals(List.of("t DROPPED 1", "t SUCCEEDED 1"), successor.ledger());
            assertEquals(first + 2 * MINUTE, successor.nextOf(task));
        }
    }

    /** db-scheduler #433, JobRunr #598: heartbeats in the local time of a node, which jumps or differs. */
    @Test
    void a_heartbeat_and_a_claim_are_told_by_the_databases_clock_in_whatever_zone_the_node_is() {
        long task = bench.task("t", StoredTasks.EVERY_MINUTE, first);
        Epoch epoch = bench.begin();
        TimeZone.setDefault(TimeZone.getTimeZone("Asia/Kathmandu"));
        assertTrue(bench.register.beat(epoch));
        assertTrue(bench.register.read().isOwnerAlive());
        TimeZone.setDefault(TimeZone.getTimeZone("America/St_Johns"));
        assertTrue(bench.register.read().isOwnerAlive());
        bench.fireAll();
        assertEquals(List.of(first), bench.slotsRun);
        assertEquals(first + MINUTE, bench.nextOf(task));
        assertEquals(
                0,
                bench.tasks.number("select count(*) from twinbell.execution"
                        + " where abs(extract(epoch from clock_timestamp() - claimed_at)) > 60"));
    }

    /** JobRunr 8.6: a process that had been frozen started everything that had come due meanwhile at once. */
    @Test
    void a_process_that_stood_still_for_an_hour_starts_one_run_and_no_flood() {
        bench.task("t", StoredTasks.EVERY_SECOND, first);
        bench.beginAndFire();
        bench.nowMillis += Duration.ofHours(1).toMillis();
        bench.ticker.pass(Duration.ofHours(1));
        bench.fireAll();
        assertEquals(List.of(first, bench.nowMillis), bench.slotsRun);
        bench.tasks.assertRows(
                "select state || ' ' || slots from twinbell.execution order by fire_time",
                "SUCCEEDED 1",
                "MISSED 3599",
                "SUCCEEDED 1");
    }

    /** Kubernetes' CronJob: a schedule with more than a hundred missed starts was never started again. */
    @Test
    void a_schedule_that_missed_more_than_a_hundred_slots_goes_on() {
        long task = bench.task("t", "{\"cron\":\"* * * * *\"}", first - 1000 * MINUTE);
        bench.beginAndFire();
        bench.nowMillis += MINUTE;
        bench.fireAll();
        assertEquals(List.of(first, first + MINUTE), bench.slotsRun);
        assertEquals(first + 2 * MINUTE, bench.nextOf(task));
    }

    /**
     * PowerJob #780: at a crash, a run is doubled if the next time is written after the dispatch, and lost if it is
     * written before.
     */
    @Test
    void a_crash_before_or_after_the_claim_neither_loses_nor_doubles_a_slot() {
        bench.task("before", StoredTasks.EVERY_MINUTE, first, RERUNS);
        bench.openEpoch();
        try (EngineBench second = new EngineBench(DATABASE, 1000)) {
            second.nowMillis = first;
            second.succeed();
            second.fireAllAndDie();
            assertEquals(List.of("before CLAIMED 1"), second.ledger());
        }
        try (EngineBench third = new EngineBench(DATABASE, 1000)) {
            third.nowMillis = first + 1000;
            third.succeed();
            third.fireAll();
            assertEquals(List.of("before SUCCEEDED 2"), third.ledger());
        }
    }

    /** XXL-JOB #3491: the check for a run in progress asked its own executor only. */
    @Test
    void a_run_that_the_other_node_is_still_finishing_counts_as_running() {
        bench.task("t", StoredTasks.EVERY_MINUTE, first);
        Epoch handedOver = bench.begin();
        bench.fireAllAndDie();
        bench.register.resign(handedOver, Duration.ofMinutes(5));
        try (EngineBench successor = new EngineBench(DATABASE, 1000)) {
            successor.nowMillis = first + MINUTE;
            successor.drainingTasks.read();
            Epoch epoch = successor.begin();
            successor.settler.begin(Predecessor.over(handedOver.number()));
            successor.settler.step(epoch);
            successor.fireAll();
            assertEquals(List.of(), successor.ran);
            assertEquals(List.of("t CLAIMED 1", "t SKIPPED 1"), successor.ledger());
        }
    }

    /** xtimer: a disabled task continued to fire from a queue that had been filled ahead. */
    @Test
    void a_paused_task_fires_nothing_that_was_already_in_the_heap() {
        long task = bench.task("t", StoredTasks.EVERY_MINUTE, first);
        bench.beginAndFire();
        store.change(task, TaskChanges.pause("night", TaskPause.NONE));
        bench.nowMillis += MINUTE;
        bench.fireAll();
        assertEquals(List.of(first), bench.slotsRun, "though nobody told the master");
    }

    /** JobRunr #1377, Dkron #1939: a next run was shown that did not come. */
    @Test
    void a_task_that_will_not_fire_any_more_shows_no_next_fire_time() {
        String last = ",\"end\":\"" + Instant.ofEpochMilli(first) + "\"";
        bench.task("ended", StoredTasks.EVERY_MINUTE, first, last);
        bench.task("counted", StoredTasks.EVERY_MINUTE, first, ",\"maxRuns\":1");
        bench.task("missed", StoredTasks.EVERY_MINUTE, first - MINUTE, last + ",\"misfire\":{\"policy\":\"SKIP\"}");
        bench.nowMillis = first + MINUTE;
        bench.beginAndFire();
        bench.tasks.assertRows("select distinct state, next_fire_time from twinbell.task_state", "FINISHED|");
    }
}
