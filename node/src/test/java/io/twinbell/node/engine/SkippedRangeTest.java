package io.twinbell.node.engine;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.json.Instants;
import io.twinbell.node.json.StrictJson;
import io.twinbell.node.schedule.Calendars;
import io.twinbell.node.task.TaskChanges;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.task.JdbcTaskStore;
import io.twinbell.persistence.task.TaskStore;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A next fire time is moved ahead: the slots in between are SKIPPED. By the database's own clock: to let a leap pass, a
 * test makes it earlier.
 */
class SkippedRangeTest {
    private static final PGSimpleDataSource DATABASE = EngineBench.DATABASE;
    private static final String EVERY_10_MS = "{\"every\":\"PT0.01S\"}";
    private static final long HOUR = Duration.ofHours(1).toMillis();
    /** What a leap of a minute is made earlier by. */
    private static final long EARLIER = 61_000;

    private final TaskStore store = new JdbcTaskStore(DATABASE);

    @AutoClose
    private final EngineBench bench = EngineBench.cleared(DATABASE, 1000);

    private Epoch epoch;

    @BeforeEach
    void prepare() {
        epoch = bench.openEpoch();
    }

    @Test
    void slots_leapt_over_are_recorded_once_as_SKIPPED_when_they_have_passed() {
        long task = bench.task("t", EVERY_10_MS, dbNow() + HOUR);
        long before = dbNow();
        long target = Math.floorDiv(before, 10L) * 10 + 60_003;
        move(task, target);
        long after = dbNow();
        pass();
        settle();
        assertEquals(
                List.of("SKIPPED|somebody moved the next fire time past it"),
                bench.tasks.query("select state, reason from twinbell.execution"));
        long first = rowFirst();
        assertTrue(
                before - EARLIER < first && first <= after - EARLIER + 10, "the first slot after the move: " + first);
        long last = target - EARLIER - 3;
        assertEquals(
                List.of(last + "|" + ((last - first) / 10 + 1)),
                bench.tasks.query("select twinbell.millis(until_fire_time), slots from twinbell.execution"));
        assertEquals(0, bench.tasks.number("select count(*) from twinbell.leap"));
    }

    @Test
    void a_leap_that_is_moved_again_ends_there_and_no_slot_is_told_twice_or_left_out() {
        long task = bench.task("t", EVERY_10_MS, dbNow() + HOUR);
        move(task, dbNow() + 2 * HOUR);
        settle();
        assertEquals(0, bench.tasks.number("select count(*) from twinbell.execution"), "nothing of it has passed");
        long first = Math.floorDiv(dbNow(), 10L) * 10;
        await().until(() -> dbNow() > first + 30);
        move(task, dbNow() + HOUR);
        await().until(() -> dbNow() > first + 60);
        store.change(task, TaskChanges.remove("gone", Calendars.NONE));
        long removed = dbNow();
        settle();
        List<String> gaps =
                bench.tasks.query("select twinbell.millis(fire_time) - lag(twinbell.millis(until_fire_time))"
                        + " over (order by fire_time) from twinbell.execution order by fire_time");
        assertEquals(List.of("", "10"), gaps, "one row ends where the other begins");
        long last = bench.tasks.number("select twinbell.millis(max(until_fire_time)) from twinbell.execution");
        assertTrue(last <= removed && rowFirst() <= first + 10, "from the first move to the removal");
        assertEquals(
                (last - rowFirst()) / 10 + 1,
                bench.tasks.number("select sum(slots) from twinbell.execution where state = 'SKIPPED'"));
    }

    @Test
    void slots_of_a_schedule_type_that_is_missing_are_recorded_once_it_is_there() {
        long task = bench.task("t", EVERY_10_MS, dbNow() + HOUR);
        move(task, dbNow() + 60_000);
        String known = bench.tasks.query("select definition from twinbell.leap").get(0);
        bench.tasks.execute("update twinbell.leap set definition = definition || '{\"schedule\":{\"type\":\"moon\"}}'");
        pass();
        settle();
        assertEquals(1, bench.tasks.number("select count(*) from twinbell.leap"));
        assertEquals(0, bench.tasks.number("select count(*) from twinbell.execution"));
        bench.tasks.execute("update twinbell.leap set definition = '" + known + "'");
        settle();
        assertEquals(List.of("SKIPPED"), bench.tasks.query("select state from twinbell.execution"));
        assertEquals(0, bench.tasks.number("select count(*) from twinbell.leap"));
    }

    @Test
    void fixed_delays_and_one_shots_skip_nothing() {
        long delayed = bench.task("delayed", "{\"every\":\"PT0.01S\",\"mode\":\"FIXED_DELAY\"}", dbNow() + HOUR);
        long once = bench.task("once", "{\"at\":\"2190-01-01T00:00:00Z\"}", Instants.millis("2190-01-01T00:00:00Z"));
        long target = dbNow() + 60_000;
        move(delayed, target);
        move(once, target);
        pass();
        settle();
        assertEquals(0, bench.tasks.number("select count(*) from twinbell.execution"));
        assertEquals(0, bench.tasks.number("select count(*) from twinbell.leap"));
    }

    private void move(long task, long millis) {
        String patch = "{\"nextFireTime\":\"" + Instants.text(millis) + "\"}";
        ObjectNode json = (ObjectNode) StrictJson.read(patch.getBytes(StandardCharsets.UTF_8));
        store.change(task, TaskChanges.patch(json, Calendars.NONE));
    }

    private void pass() {
        String earlier = " - interval '" + EARLIER + " milliseconds'";
        bench.tasks.execute(
                "update twinbell.leap set after_time = after_time" + earlier + ", until_time = until_time" + earlier);
    }

    /** Twice: what is found in one pass is entered by the next. */
    private void settle() {
        bench.nowMillis = dbNow();
        bench.settler.step(epoch);
        bench.settler.step(epoch);
    }

    private long rowFirst() {
        return bench.tasks.number("select twinbell.millis(min(fire_time)) from twinbell.execution");
    }

    private long dbNow() {
        return bench.tasks.number("select twinbell.now_millis()");
    }
}
