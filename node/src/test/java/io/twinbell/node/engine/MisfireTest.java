package io.twinbell.node.engine;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.engine.claim.OverdueBacklog;
import io.twinbell.node.json.Instants;
import io.twinbell.node.json.StrictJson;
import io.twinbell.node.schedule.Calendars;
import io.twinbell.node.task.TaskChanges;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.claim.ClaimOutcome;
import io.twinbell.persistence.task.JdbcTaskStore;
import io.twinbell.persistence.task.TaskStore;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.postgresql.ds.PGSimpleDataSource;

/** The same outage under every misfire policy, on the real ledger. */
class MisfireTest {
    private static final PGSimpleDataSource DATABASE = EngineBench.DATABASE;
    private static final long DAY = Duration.ofDays(1).toMillis();

    @AutoClose
    private final EngineBench bench = EngineBench.cleared(DATABASE, 1000);

    private final Epoch epoch = bench.openEpoch();

    private static final String EVERY_10_MS = "{\"every\":\"PT0.01S\"}";
    private static final long HOUR = Duration.ofHours(1).toMillis();

    /** What a leap of a minute is made earlier by. */
    private static final long EARLIER = 61_000;

    private final TaskStore store = new JdbcTaskStore(DATABASE);

    /** Ten slots, one a minute, numbered from 0; each row as "state first+slots", and the reason of those missed. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            "policy":"FIRE_ONCE"                          | MISSED 0+9, SUCCEEDED 9+1 | the newest slot runs
            "policy":"SKIP"                               | MISSED 0+10               | and none of these slots runs
            "policy":"SKIP","threshold":"PT1H"            | RUNS 0-9                  |
            "policy":"FIRE_ALL"                           | RUNS 0-9                  |
            "policy":"FIRE_ALL","max":10                  | RUNS 0-9                  |
            "policy":"FIRE_ALL","max":9                   | MISSED 0+1, RUNS 1-9      | the 9 newest slots run
            "policy":"FIRE_ALL","max":3                   | MISSED 0+7, RUNS 7-9      | the 3 newest slots run
            "policy":"FIRE_ALL","max":3,"order":"NEWEST"  | MISSED 0+7, RUNS 7-9      | the 3 newest slots run
            "policy":"FIRE_ALL","max":3,"order":"OLDEST"  | RUNS 0-2, MISSED 3+7      | the 3 oldest slots run
            "policy":"FIRE_ALL","max":10,"order":"OLDEST" | RUNS 0-9                  |
            "policy":"FIRE_ALL","max":1                   | MISSED 0+9, SUCCEEDED 9+1 | the newest slot runs
            """)
    void ten_slots_that_an_outage_made_late_end_as_their_policy_says(String misfire, String expected, String why) {
        long first = Math.floorDiv(bench.nowMillis, 60_000L) * 60_000 - 9 * 60_000;
        bench.nowMillis = first + 9 * 60_000 + 31_000;
        long task = bench.task("t", StoredTasks.EVERY_MINUTE, first, ",\"misfire\":{" + misfire + "}");
        bench.begin();
        bench.fireAll(12);
        assertEquals(spelledOut(expected), rows(first, 60_000));
        assertEquals(
                why == null ? List.of() : List.of("misfire: overdue by more than PT30S, " + why),
                bench.tasks.query("select reason from twinbell.execution where state = 'MISSED'"));
        assertEquals(
                bench.tasks.number("select coalesce(sum(slots), 0) from twinbell.execution where state = 'MISSED'"),
                bench.registry.counter("missed_slots.misfire").getCount(),
                "the metric counts slots, not rows");
        assertEquals(
                List.of(),
                bench.tasks.query("select until_fire_time from twinbell.execution where slots > 1"
                        + " and until_fire_time is distinct from fire_time + (slots - 1) * interval '1 minute'"));
        assertEquals(first + 10 * 60_000, bench.nextOf(task), "the first slot that is still to come");
    }

    @Test
    void a_lock_on_the_row_at_the_last_claim_does_not_let_more_of_the_oldest_run() {
        long first = Math.floorDiv(bench.nowMillis, 60_000L) * 60_000 - 9 * 60_000;
        bench.nowMillis = first + 9 * 60_000 + 31_000;
        bench.task(
                "t",
                StoredTasks.EVERY_MINUTE,
                first,
                ",\"end\":\"" + Instant.ofEpochMilli(bench.nowMillis)
                        + "\",\"misfire\":{\"policy\":\"FIRE_ALL\",\"max\":3,\"order\":\"OLDEST\"}");
        AtomicInteger held = new AtomicInteger();
        bench.claimStep = (real, epoch, batch, claims) -> claims.get(0).finished() && held.getAndIncrement() == 0
                ? new ClaimOutcome(true, Set.of(), Set.of(), Set.of())
                : real.claim(epoch, batch, claims);
        bench.begin();
        bench.fireAll(12);
        assertEquals(2, held.get());
        assertEquals(spelledOut("RUNS 0-2, MISSED 3+7"), rows(first, 60_000));
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            "policy":"FIRE_ONCE"                         | MISSED 0+8640000, SUCCEEDED 8640000+1
            "policy":"SKIP"                              | MISSED 0+8640001
            "policy":"FIRE_ALL","max":3,"order":"OLDEST" | RUNS 0-2, MISSED 3+8639998
            """)
    void a_day_of_a_task_that_fires_every_10_ms_costs_one_row(String misfire, String expected) {
        bench.nowMillis = Math.floorDiv(bench.nowMillis, 10L) * 10;
        long first = bench.nowMillis - DAY;
        bench.task(
                "t",
                "{\"every\":\"PT0.01S\"}",
                first,
                ",\"end\":\"" + Instant.ofEpochMilli(bench.nowMillis) + "\",\"misfire\":{" + misfire + "}");
        bench.begin();
        bench.fireAll(4);
        assertEquals(spelledOut(expected), rows(first, 10));
    }

    @Test
    void slots_of_a_backlog_are_claimed_one_after_the_other() {
        long first = Math.floorDiv(bench.nowMillis, 60_000L) * 60_000 - 9 * 60_000;
        bench.nowMillis = first + 9 * 60_000 + 31_000;
        bench.task(
                "t", StoredTasks.EVERY_MINUTE, first, ",\"overlap\":\"ALLOW\",\"misfire\":{\"policy\":\"FIRE_ALL\"}");
        bench.begin();
        bench.onRun(context -> {
            bench.claimer.step();
            assertEquals(1, bench.tasks.number("select count(*) from twinbell.execution where state = 'CLAIMED'"));
        });
        bench.fireAll(12);
        assertEquals(spelledOut("RUNS 0-9"), rows(first, 60_000));
        assertEquals(
                bench.ran.stream()
                        .sorted(Comparator.comparing(line -> Long.valueOf(line.split(" ")[1])))
                        .toList(),
                bench.ran);
    }

    @Test
    void a_backlog_goes_on_where_the_dead_master_left_it() {
        long first = Math.floorDiv(bench.nowMillis, 60_000L) * 60_000 - 9 * 60_000;
        bench.nowMillis = first + 9 * 60_000 + 31_000;
        bench.task("t", StoredTasks.EVERY_MINUTE, first, ",\"misfire\":{\"policy\":\"FIRE_ALL\"}");
        bench.begin();
        bench.fireAll(4);
        long done = bench.tasks.number("select count(*) from twinbell.execution");
        assertTrue(done > 2 && done < 10, "in the midst of it: " + done);
        try (EngineBench successor = new EngineBench(DATABASE, 1000)) {
            successor.nowMillis = bench.nowMillis;
            successor.begin();
            successor.fireAll(12);
        }
        assertEquals(spelledOut("RUNS 0-9"), rows(first, 60_000));
    }

    @Test
    void a_slot_that_comes_due_during_a_run_is_no_backlog() {
        var skips = StoredTasks.definition(StoredTasks.EVERY_MINUTE);
        var allows = StoredTasks.definition(StoredTasks.EVERY_MINUTE, ",\"overlap\":\"ALLOW\"");
        var firesAll = StoredTasks.definition(
                StoredTasks.EVERY_MINUTE, ",\"overlap\":\"ALLOW\",\"misfire\":{\"policy\":\"FIRE_ALL\"}");
        assertTrue(OverdueBacklog.waits(skips, 1000, 5000, 4000), "due before the run began");
        assertTrue(OverdueBacklog.waits(skips, 1000, 5000, Long.MAX_VALUE), "the run has yet to begin");
        assertFalse(OverdueBacklog.waits(skips, 4500, 5000, 4000), "due during the run: its policy decides");
        assertFalse(OverdueBacklog.waits(skips, 1000, 5000, Long.MIN_VALUE), "nothing runs");
        assertFalse(OverdueBacklog.waits(skips, 5000, 5000, 6000), "it is not overdue");
        assertFalse(OverdueBacklog.waits(allows, 1000, 5000, 4000), "it may run beside others");
        assertFalse(OverdueBacklog.waits(skips, 1000, 50_000, 49_000), "a misfire of which one runs");
        assertTrue(OverdueBacklog.waits(firesAll, 1000, 50_000, 49_000), "a misfire of which all run");
    }

    private List<String> rows(long first, long every) {
        return bench.tasks.query("select state || ' ' || (twinbell.millis(fire_time) - " + first + ") / " + every
                + " || '+' || slots from twinbell.execution order by fire_time");
    }

    private static List<String> spelledOut(String expected) {
        return Arrays.stream(expected.split(", "))
                .flatMap(part -> {
                    if (!part.startsWith("RUNS")) {
                        return Stream.of(part);
                    }
                    String[] range = part.substring(5).split("-");
                    return IntStream.rangeClosed(Integer.parseInt(range[0]), Integer.parseInt(range[1]))
                            .mapToObj(slot -> "SUCCEEDED " + slot + "+1");
                })
                .toList();
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
        bench.tasks.assertRows(
                "select state, reason from twinbell.execution", "SKIPPED|somebody moved the next fire time past it");
        long first = rowFirst();
        assertTrue(
                before - EARLIER < first && first <= after - EARLIER + 10, "the first slot after the move: " + first);
        long last = target - EARLIER - 3;
        bench.tasks.assertRows(
                "select twinbell.millis(until_fire_time), slots from twinbell.execution",
                last + "|" + ((last - first) / 10 + 1));
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
