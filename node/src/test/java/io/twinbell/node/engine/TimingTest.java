package io.twinbell.node.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.node.engine.task.Schedule;
import io.twinbell.node.json.Instants;
import io.twinbell.node.schedule.Calendars;
import io.twinbell.node.task.TaskReader;
import io.twinbell.persistence.epoch.Epoch;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** Intervals, windows, jitter, counted runs and one shots, under virtual time from the table to the ledger. */
class TimingTest {
    private static final PGSimpleDataSource DATABASE = EngineBench.DATABASE;
    private static final long SECOND = 1000;
    private static final long HOUR = 3_600_000;
    private static final long DAY = 24 * HOUR;

    @AutoClose
    private EngineBench bench = EngineBench.cleared(DATABASE, 1000);

    private long base;
    private final List<Long> fired = new ArrayList<>();

    @BeforeEach
    void prepare() {
        base = bench.nowMillis / HOUR * HOUR;
        bench.nowMillis = base;
        bench.onRun(context -> fired.add(context.fireTime().toEpochMilli()));
    }

    private void goTo(long millis) {
        bench.nowMillis = millis;
        bench.fireAll();
    }

    /** Second by second, so that everything is on time. */
    private void walkTo(long millis) {
        while (bench.nowMillis < millis) {
            goTo(Math.min(millis, bench.nowMillis + SECOND));
        }
    }

    private String state(long task) {
        return bench.tasks
                .query("select state, runs, twinbell.millis(next_fire_time) from twinbell.task_state where task_id = "
                        + task)
                .get(0);
    }

    private static String member(String name, long millis) {
        return ",\"" + name + "\":\"" + Instants.text(millis) + "\"";
    }

    private static String jitter(String duration) {
        return ",\"jitter\":\"" + duration + "\"";
    }

    private static String maxRuns(long runs) {
        return ",\"maxRuns\":" + runs;
    }

    private static String fixedDelay(String every) {
        return "{\"every\":\"" + every + "\",\"mode\":\"FIXED_DELAY\"}";
    }

    @Test
    void every_grid_point_of_a_window_is_accounted_for_through_an_outage_and_both_ends_fire() {
        long task = bench.task("t", "{\"every\":\"PT10S\"}", base, member("end", base + 600 * SECOND));
        bench.begin();
        walkTo(base + 60 * SECOND);
        goTo(base + 305 * SECOND);
        walkTo(base + 700 * SECOND);
        assertEquals(
                LongStream.rangeClosed(0, 60)
                        .filter(i -> i <= 6 || i >= 30)
                        .map(i -> base + i * 10 * SECOND)
                        .boxed()
                        .toList(),
                fired,
                "of the outage the newest");
        assertEquals(61, bench.tasks.number("select sum(slots) from twinbell.execution"));
        assertEquals("FINISHED|38|", state(task));
        assertEquals(0, bench.trigger.heapSize());
    }

    @Test
    void slots_are_jittered_alike_by_whichever_node_is_master() {
        String more = jitter("PT4S") + member("end", base + 300 * SECOND);
        Schedule schedule = TaskReader.definition(
                        "test", "t", StoredTasks.json("{\"every\":\"PT10S\"}", more), Calendars.NONE)
                .schedule();
        long task = bench.task("t", "{\"every\":\"PT10S\"}", schedule.next(base), more);
        List<Long> expected = new ArrayList<>();
        for (long fire = schedule.next(base); fire != Schedule.NEVER; fire = schedule.next(fire)) {
            expected.add(fire);
        }
        bench.begin();
        // Between two slots: a run that is claimed ahead and not started yet would end with this engine.
        walkTo(base + 155 * SECOND);
        long now = bench.nowMillis;
        bench.close();
        EngineBench successor = new EngineBench(DATABASE, 1000);
        successor.handler = bench.handler;
        bench = successor;
        bench.nowMillis = now;
        bench.begin();
        walkTo(base + 310 * SECOND);
        assertEquals(expected, fired);
        assertEquals("FINISHED|" + expected.size() + "|", state(task));
    }

    @Test
    void a_jittered_slot_starts_at_its_own_instant_and_not_at_the_one_that_is_meant() {
        String more = jitter("PT30M");
        Schedule schedule = TaskReader.definition(
                        "test", "t", StoredTasks.json("{\"every\":\"PT1H\"}", more), Calendars.NONE)
                .schedule();
        long fire = schedule.next(base);
        bench.task("t", "{\"every\":\"PT1H\"}", fire, more);
        bench.begin();
        goTo(fire - 1);
        assertEquals(List.of(), fired);
        goTo(fire);
        assertEquals(List.of(fire), fired);
    }

    @Test
    void a_backlog_of_jittered_slots_is_one_misfire_and_the_newest_runs() {
        String more = jitter("PT4S");
        Schedule schedule = TaskReader.definition(
                        "test", "t", StoredTasks.json("{\"every\":\"PT0.01S\"}", more), Calendars.NONE)
                .schedule();
        long first = schedule.next(base);
        bench.task("t", "{\"every\":\"PT0.01S\"}", first, more);
        bench.begin();
        goTo(base + DAY + 5);
        assertEquals(List.of(schedule.previous(base + DAY + 6)), fired);
        long expected = (schedule.nominalTime(fired.get(0)) - schedule.nominalTime(first)) / 10 + 1;
        assertEquals(
                expected, bench.tasks.number("select sum(slots) from twinbell.execution where state <> 'CLAIMED'"));
    }

    @Test
    void a_counted_task_runs_as_often_as_it_may_and_is_finished() {
        long task = bench.task("t", "{\"every\":\"PT10S\"}", base, maxRuns(3));
        bench.begin();
        walkTo(base + 100 * SECOND);
        assertEquals(List.of(base, base + 10 * SECOND, base + 20 * SECOND), fired);
        assertEquals("FINISHED|3|", state(task));
        assertEquals(0, bench.trigger.heapSize());
    }

    @Test
    void slots_that_are_missed_take_no_run_away() {
        long task = bench.task("t", "{\"every\":\"PT10S\"}", base, maxRuns(2));
        bench.begin();
        goTo(base + 3 * HOUR + 5 * SECOND);
        assertEquals("ACTIVE|1|" + (base + 3 * HOUR + 10 * SECOND), state(task));
        goTo(base + 3 * HOUR + 10 * SECOND);
        assertEquals("FINISHED|2|", state(task));
        assertEquals(List.of(base + 3 * HOUR, base + 3 * HOUR + 10 * SECOND), fired);
    }

    @Test
    void a_fixed_delay_ends_with_its_last_run_and_nothing_sets_it_going_again() {
        long task = bench.task("t", fixedDelay("PT10S"), base, maxRuns(2));
        Epoch epoch = bench.begin();
        walkTo(base + 100 * SECOND);
        bench.settler.step(epoch);
        walkTo(base + 200 * SECOND);
        assertEquals(List.of(base, base + 11 * SECOND), fired, "a second after it was due, and ten after that");
        assertEquals("FINISHED|2|", state(task));
    }

    @Test
    void a_claim_whose_answer_was_lost_counts_once() {
        long task = bench.task("t", "{\"every\":\"PT10S\"}", base, maxRuns(2));
        bench.begin();
        bench.losesTheNextAnswer();
        walkTo(base + 5 * SECOND);
        assertEquals("ACTIVE|1|" + (base + 10 * SECOND), state(task));
        bench.losesTheNextAnswer();
        walkTo(base + 60 * SECOND);
        assertEquals("FINISHED|2|", state(task));
        assertEquals(List.of(base, base + 10 * SECOND), fired);
    }

    @Test
    void the_last_run_is_run_again_by_a_successor_though_its_task_is_finished() {
        long task = bench.task("t", "{\"every\":\"PT10S\"}", base, maxRuns(1) + ",\"orphan\":\"RERUN\"");
        bench.begin();
        bench.nowMillis = base - 40;
        bench.trigger.step(bench.nowMillis * 1_000_000);
        bench.claimer.step();
        assertEquals("FINISHED|1|", state(task), "claimed and not started");
        bench.close();
        bench = new EngineBench(DATABASE, 1000);
        bench.handler = context -> fired.add(context.fireTime().toEpochMilli());
        bench.nowMillis = base + SECOND;
        Epoch next = bench.begin();
        bench.settler.step(next);
        bench.fireAll();
        assertEquals(List.of(base), fired);
        assertEquals("FINISHED|1|", state(task));
    }

    @Test
    void a_run_asked_for_by_hand_does_not_count() {
        long task = bench.task("t", "{\"every\":\"PT10S\"}", base, maxRuns(1));
        bench.tasks.execute("insert into twinbell.execution (task_id, fire_time, app, name, state) values (" + task
                + ", twinbell.instant(" + (base - 2 * SECOND) + "), 'test', 't', 'PENDING')");
        bench.begin();
        goTo(base - SECOND);
        assertEquals(List.of(base - 2 * SECOND), fired);
        assertEquals("ACTIVE|0|" + base, state(task));
    }

    @Test
    void an_instant_that_has_passed_runs_by_the_misfire_policy() {
        long[] agos = {
            0, 29 * SECOND, 2 * HOUR, EngineBench.RETENTION.toMillis() - HOUR, EngineBench.RETENTION.toMillis() + HOUR
        };
        for (int i = 0; i < agos.length; i++) {
            long at = base - agos[i];
            bench.task("at" + i, "{\"at\":\"" + Instants.text(at) + "\"}", at);
        }
        bench.beginAndFire();
        assertEquals(
                List.of("at4 MISSED 1", "at3 SUCCEEDED 1", "at2 SUCCEEDED 1", "at1 SUCCEEDED 1", "at0 SUCCEEDED 1"),
                bench.ledger());
        bench.tasks.assertRows("select state, count(*) from twinbell.task_state group by state", "FINISHED|5");
    }

    @Test
    void a_task_that_waits_for_a_run_it_never_had_and_cannot_be_read_says_so() {
        bench.tasks.insert("bad", StoredTasks.json("{\"every\":\"never\"}"), base);
        long rate = bench.task("rate", "{\"every\":\"PT10S\"}", base);
        bench.tasks.execute("update twinbell.task_state set next_fire_time = null");
        Epoch epoch = bench.begin();
        bench.settler.step(epoch);
        assertEquals("ACTIVE|0|" + (base + 10 * SECOND), state(rate));
        bench.requests.addAll();
        bench.fireAll();
        assertTrue(bench.tasks
                .query("select state, state_reason from twinbell.task_state order by task_id")
                .get(0)
                .startsWith("ERROR|/schedule/every: "));
    }
}
