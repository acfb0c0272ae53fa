package io.twinbell.node.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.json.Instants;
import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.json.StrictJson;
import io.twinbell.node.schedule.Calendars;
import io.twinbell.node.task.TaskChanges;
import io.twinbell.node.task.TaskJson;
import io.twinbell.node.task.TaskReader;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.task.JdbcTaskStore;
import io.twinbell.persistence.task.TaskDecision;
import io.twinbell.persistence.task.TaskFilter;
import io.twinbell.persistence.task.TaskPause;
import io.twinbell.persistence.task.TaskStore;
import io.twinbell.persistence.testing.RandomCases;
import io.twinbell.persistence.testing.TestPostgres;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** Edits while a master fires, in virtual time: nothing fires twice, and no old definition returns. */
class EditingTest {
    private static final long SEED = RandomCases.seed(EditingTest.class);
    private static final int ROUNDS = RandomCases.count(2, 20);
    private static final PGSimpleDataSource DATABASE = EngineBench.DATABASE;
    private static final ZoneId BERLIN = ZoneId.of("Europe/Berlin");
    private static final long SECOND = 1000;
    private static final long MINUTE = 60_000;
    private static final long HOUR = 60 * MINUTE;
    private static final long DAY = 24 * HOUR;

    private final TaskStore store = new JdbcTaskStore(DATABASE);
    private EngineBench bench;
    private long base;
    private final List<Long> fired = new ArrayList<>();

    @BeforeEach
    void prepare() {
        TestPostgres.clear(DATABASE);
        open();
        // A day ago, so that the database's own clock, which this test does not set, is later than every event.
        base = bench.nowMillis / DAY * DAY - DAY;
        bench.nowMillis = base;
        bench.begin();
    }

    private void open() {
        bench = new EngineBench(DATABASE, 1000);
        bench.onRun(context -> fired.add(context.fireTime().toEpochMilli()));
    }

    @AfterEach
    void close() {
        bench.close();
    }

    private void goTo(long millis) {
        bench.nowMillis = millis;
        bench.fireAll();
    }

    private void walk(long until, long step) {
        while (bench.nowMillis < until) {
            goTo(Math.min(until, bench.nowMillis + step));
        }
    }

    private static ObjectNode json(String text) {
        return (ObjectNode) StrictJson.read(text.getBytes(StandardCharsets.UTF_8));
    }

    private long create(String name, String schedule, String more) {
        ObjectNode task = json("{\"app\":\"test\",\"name\":\"" + name + "\",\"schedule\":" + schedule
                + ",\"handler\":{\"type\":\"java\",\"key\":\"k\"}" + more + "}");
        long id = store.insert(TaskReader.newTask(task, bench.nowMillis, Calendars.NONE))
                .orElseThrow()
                .id();
        bench.requests.add(id);
        return id;
    }

    /** Makes an edit at the time of the bench, of which the master learns at once. */
    private void edit(long task, TaskDecision decision) {
        store.change(task, (current, databaseNow) -> decision.decide(current, bench.nowMillis));
        bench.requests.add(task);
    }

    private void patch(long task, String patch) {
        edit(task, TaskChanges.patch(json(patch), Calendars.NONE));
    }

    private String state(long task) {
        return bench.tasks
                .query("select state, twinbell.millis(next_fire_time) from twinbell.task_state where task_id = " + task)
                .get(0);
    }

    private static String at(long millis) {
        return "{\"at\":\"" + Instants.text(millis) + "\"}";
    }

    @Test
    void changing_a_schedule_fires_no_slot_twice_and_none_that_has_passed() {
        long task = create("t", "{\"every\":\"PT1H\"}", "");
        walk(base + 3 * HOUR + 10 * MINUTE, MINUTE);
        patch(task, "{\"schedule\":{\"every\":\"PT30M\"}}");
        walk(base + 4 * HOUR, MINUTE);
        patch(task, "{\"schedule\":{\"every\":null,\"cron\":\"0 * * * *\"}}");
        walk(base + 6 * HOUR, MINUTE);
        assertEquals(
                List.of(
                        base + HOUR,
                        base + 2 * HOUR,
                        base + 3 * HOUR,
                        base + 3 * HOUR + 30 * MINUTE,
                        base + 4 * HOUR,
                        base + 5 * HOUR,
                        base + 6 * HOUR),
                fired);
    }

    /** The claim comes 50 ms ahead of the instant; what was claimed runs under the old definition. */
    @Test
    void changing_a_schedule_between_claim_and_start_fires_the_slot_once() {
        long task = create("t", "{\"every\":\"PT1H\"}", "");
        goTo(base + HOUR - 40);
        assertEquals(List.of(), fired);
        patch(task, "{\"schedule\":{\"every\":\"PT20M\"}}");
        walk(base + HOUR + 30 * MINUTE, MINUTE);
        assertEquals(List.of(base + HOUR, base + HOUR + 20 * MINUTE), fired);
    }

    @Test
    void changing_the_zone_fires_no_slot_twice_and_goes_on_by_the_new_one() {
        long task = create("t", "{\"cron\":\"0 6 * * *\",\"zone\":\"Asia/Tokyo\"}", "");
        goTo(base + 21 * HOUR);
        assertEquals(List.of(base + 21 * HOUR), fired, "six o'clock in Tokyo");
        patch(task, "{\"schedule\":{\"zone\":\"Asia/Kathmandu\"}}");
        walk(base + 2 * DAY, 15 * MINUTE);
        assertEquals(List.of(base + 21 * HOUR, base + DAY + 15 * MINUTE), fired, "and a quarter past midnight, UTC");
    }

    /**
     * The slot was computed with an older zone database, an hour too early. It must not run now and again in an hour.
     */
    @Test
    void a_zone_database_that_moves_a_slot_later_puts_it_off_and_fires_it_once() {
        long task = create("t", "{\"cron\":\"30 12 * * *\",\"zone\":\"Europe/Berlin\"}", "");
        long halfPastNoon = halfPastNoon(1);
        reckonedBefore(task, halfPastNoon - HOUR);
        goTo(halfPastNoon - HOUR);
        assertEquals(List.of(), fired);
        assertEquals("ACTIVE|" + halfPastNoon, state(task));
        assertEquals(List.of("t SKIPPED 1"), bench.ledger());
        walk(halfPastNoon + 20 * HOUR, MINUTE * 10);
        assertEquals(List.of(halfPastNoon), fired);
    }

    @Test
    void a_zone_database_that_moves_a_slot_earlier_lets_it_fire_once_and_late() {
        long task = create("t", "{\"cron\":\"30 12 * * *\",\"zone\":\"Europe/Berlin\"}", "");
        long halfPastNoon = halfPastNoon(1);
        reckonedBefore(task, halfPastNoon + HOUR);
        walk(halfPastNoon + 20 * HOUR, MINUTE * 10);
        assertEquals(List.of(halfPastNoon + HOUR), fired);
        assertEquals("ACTIVE|" + halfPastNoon(2), state(task));
    }

    @Test
    void a_fire_time_that_was_set_by_hand_is_nobodys_stale_reckoning() {
        long task = create("t", "{\"cron\":\"30 12 * * *\",\"zone\":\"Europe/Berlin\"}", "");
        long byHand = halfPastNoon(1) - HOUR;
        patch(task, "{\"nextFireTime\":\"" + Instants.text(byHand) + "\"}");
        bench.close();
        open();
        bench.nowMillis = byHand;
        bench.beginAndFire();
        assertEquals(List.of(byHand), fired);
        walk(byHand + HOUR, MINUTE);
        assertEquals(List.of(byHand, byHand + HOUR), fired, "and back to the schedule");
    }

    private long halfPastNoon(int daysLater) {
        ZonedDateTime day = Instant.ofEpochMilli(base).atZone(BERLIN).plusDays(daysLater);
        return day.withHour(12).withMinute(30).toInstant().toEpochMilli();
    }

    private void reckonedBefore(long task, long nextMillis) {
        bench.tasks.execute("update twinbell.task_state set next_fire_time = twinbell.instant(" + nextMillis + ")");
        bench.requests.add(task);
    }

    @Test
    void a_jitter_that_is_changed_between_the_instant_meant_and_its_slot_fires_it_once() {
        long task = create("t", "{\"every\":\"PT1H\"}", ",\"jitter\":\"PT40M\"");
        String[] jitters = {"\"PT1M\"", "\"PT50M\"", "null", "\"PT30M\"", "\"PT59M\""};
        for (int i = 0; i < 23; i++) {
            walk(base + (i + 1) * HOUR + 3 * MINUTE * (i % 7), MINUTE);
            patch(task, "{\"jitter\":" + jitters[i % 5] + "}");
        }
        walk(base + DAY + HOUR - 1, MINUTE);
        assertEquals(24, fired.size());
        for (int i = 0; i < 24; i++) {
            assertEquals(i + 1, (fired.get(i) - base) / HOUR, "one in each hour: " + fired);
        }
    }

    @Test
    void pausing_and_resuming_fires_nothing_twice_and_nothing_of_the_pause() {
        long task = create("t", "{\"every\":\"PT1H\"}", "");
        walk(base + 2 * HOUR - MINUTE, MINUTE);
        goTo(base + 2 * HOUR - 40);
        edit(task, TaskChanges.pause("claimed a moment ago", TaskPause.NONE));
        edit(task, TaskChanges.resume(Calendars.NONE));
        walk(base + 2 * HOUR + MINUTE, MINUTE);
        edit(task, TaskChanges.pause("night", TaskPause.NONE));
        walk(base + 5 * HOUR + MINUTE, MINUTE);
        edit(task, TaskChanges.resume(Calendars.NONE));
        walk(base + 6 * HOUR, MINUTE);
        assertEquals(List.of(base + HOUR, base + 2 * HOUR, base + 6 * HOUR), fired);
    }

    @Test
    void a_resume_that_catches_up_runs_each_newest_slot_once_and_continues() {
        long task = create("t", "{\"every\":\"PT1H\"}", "");
        walk(base + HOUR + MINUTE, MINUTE);
        edit(task, TaskChanges.pause("night", TaskPause.NONE));
        walk(base + 5 * HOUR + MINUTE, MINUTE);
        edit(task, TaskChanges.resume(Calendars.NONE, 2));
        bench.claimer.pendingChanged();
        walk(base + 6 * HOUR, MINUTE);
        assertEquals(List.of(base + HOUR, base + 4 * HOUR, base + 5 * HOUR, base + 6 * HOUR), fired);
    }

    @Test
    void a_task_made_anew_under_its_name_does_not_run_the_slot_that_the_old_one_has_claimed() {
        long minute = base + MINUTE;
        long old = create("t", "{\"cron\":\"* * * * *\"}", "");
        goTo(minute - 40);
        assertEquals(List.of("t CLAIMED 1"), bench.ledger());
        edit(old, TaskChanges.remove("removed", Calendars.NONE));
        bench.nowMillis = minute - 20;
        long anew = create("t", "{\"cron\":\"* * * * *\"}", "");
        assertEquals("ACTIVE|" + minute, state(anew));
        goTo(minute);
        assertEquals(List.of(minute), fired, "once, by the old one");
        goTo(minute + MINUTE);
        assertEquals(List.of(minute, minute + MINUTE), fired);
        assertEquals(2, bench.tasks.number("select count(*) from twinbell.execution"));
    }

    @Test
    void an_instant_that_has_run_is_not_run_again_by_a_task_made_anew_however_often() {
        long instant = base - HOUR;
        for (int i = 0; i < 3; i++) {
            long task = create("once", at(instant), "");
            bench.fireAll();
            assertEquals("FINISHED|", state(task));
            edit(task, TaskChanges.remove("removed", Calendars.NONE));
            bench.fireAll();
        }
        assertEquals(List.of(instant), fired);
    }

    @Test
    void an_instant_that_was_due_when_its_task_was_removed_does_not_come_back_with_the_name() {
        long instant = base - HOUR;
        long task = create("once", at(instant), "");
        edit(task, TaskChanges.remove("removed before it was claimed", Calendars.NONE));
        create("once", at(instant), "");
        bench.fireAll();
        assertEquals(List.of(), fired);
    }

    @Test
    void nothing_that_is_said_again_runs_an_instant_again() {
        long instant = base - HOUR;
        long task = create("once", at(instant), "");
        bench.fireAll();
        String put = "{\"app\":\"test\",\"name\":\"once\",\"schedule\":" + at(instant)
                + ",\"handler\":{\"type\":\"java\",\"key\":\"k\"}}";
        edit(task, TaskChanges.replace(json(put), Calendars.NONE));
        patch(task, "{\"owner\":\"ops\"}");
        edit(task, TaskChanges.pause("no", TaskPause.NONE));
        edit(task, TaskChanges.resume(Calendars.NONE));
        patch(task, "{\"enabled\":false}");
        patch(task, "{\"enabled\":true,\"maxRuns\":5}");
        bench.fireAll();
        assertEquals("FINISHED|", state(task));
        assertEquals(List.of(instant), fired);
    }

    @Test
    void a_bad_row_becomes_an_error_with_its_reason_and_stops_nobody_else() {
        String[] bad = {
            "[]",
            "\"text\"",
            "{}",
            "{\"schedule\":{\"cron\":\"x\"}}",
            StoredTasks.json("{\"every\":\"PT1H\"}", ",\"jitter\":\"soon\""),
            StoredTasks.json("{\"every\":\"PT1H\"}", ",\"maxRuns\":-1"),
            StoredTasks.json("{\"every\":\"PT1H\"}").replace("2026-01-05", "0000-01-05"),
            StoredTasks.json("{\"cron\":\"0 0 * * *\",\"zone\":\"Mars/Olympus\"}")
        };
        for (int i = 0; i < bad.length; i++) {
            bench.tasks.insert("bad" + i, bad[i], base);
        }
        create("good", at(base), "");
        store.list(TaskFilter.ALL, 0, 100)
                .forEach(task -> assertEquals(
                        "ACTIVE", TaskJson.answer(task).get("state").textValue()));
        bench.requests.addAll();
        bench.fireAll();
        assertEquals(List.of(base), fired);
        bench.tasks.assertRows(
                "select state, count(coalesce(state_reason, state)) from twinbell.task_state"
                        + " group by state order by state",
                "ERROR|" + bad.length,
                "FINISHED|1");
        assertEquals(
                0,
                bench.tasks.number(
                        "select count(*) from twinbell.task_state where state = 'ERROR' and length(state_reason) < 10"));
    }

    /** Anything that people and faults may do, in any order. */
    @Test
    void whatever_is_edited_no_slot_fires_twice_and_none_out_of_order() {
        for (int round = 0; round < ROUNDS; round++) {
            close();
            TestPostgres.clear(DATABASE);
            fired.clear();
            open();
            bench.nowMillis = base;
            Random random = new Random(SEED + round);
            String story = new EditStory(random).play();
            Set<Long> distinct = new HashSet<>(fired);
            assertEquals(distinct.size(), fired.size(), "twice: " + story);
            assertEquals(fired.stream().sorted().toList(), fired, "out of order: " + story);
            assertEquals(
                    fired.size(),
                    bench.tasks.number("select count(*) from twinbell.execution where state = 'SUCCEEDED'"),
                    story);
            assertEquals(
                    bench.tasks.number("select runs from twinbell.task_state"),
                    bench.tasks.number(
                            "select count(*) from twinbell.execution where state not in ('MISSED', 'SKIPPED')"),
                    story);
            assertTrue(bench.tasks.number("select runs from twinbell.task_state") <= 40, story);
        }
    }

    private final class EditStory {
        private static final List<String> SCHEDULES = List.of(
                "{\"every\":\"PT7S\"}",
                "{\"every\":\"PT1M\"}",
                "{\"every\":\"PT20S\",\"mode\":\"FIXED_DELAY\"}",
                "{\"cron\":\"*/15 * * * * *\"}",
                "{\"cron\":\"* * * * *\",\"zone\":\"Europe/Berlin\"}");

        private final Random random;
        private final StringBuilder told = new StringBuilder("seed " + SEED);
        private long task;
        private Epoch epoch;

        EditStory(Random random) {
            this.random = random;
        }

        String play() {
            epoch = bench.begin();
            task = create("t", schedule(), ",\"overlap\":\"ALLOW\",\"maxRuns\":40");
            for (int i = 0; i < 60; i++) {
                goTo(bench.nowMillis + (random.nextInt(4) == 0 ? random.nextInt(120_000) : random.nextInt(9_000)));
                step();
            }
            return told.toString();
        }

        private void step() {
            try {
                switch (random.nextInt(11)) {
                    case 0, 1 -> told("{\"schedule\":" + schedule() + "}");
                    case 2, 3 -> told("{\"jitter\":" + pick("null", "\"PT5S\"", "\"PT30S\"", "\"PT1M\"") + "}");
                    case 4 ->
                        told("{\"nextFireTime\":\"" + Instants.text(bench.nowMillis + random.nextInt(50_000)) + "\"}");
                    case 5 -> told("{\"maxRuns\":" + pick("5", "20", "40") + "}");
                    case 6 -> told("{\"enabled\":" + pick("true", "false", "true") + "}");
                    case 7 ->
                        told("{\"end\":" + pick("null", "\"" + Instants.text(bench.nowMillis + 90_000) + "\"") + "}");
                    case 8 -> failOver();
                    case 9 -> bench.losesTheNextAnswer();
                    default -> bench.settler.step(epoch);
                }
            } catch (InvalidJsonException e) {
                told.append(" refused: ").append(e.getMessage());
            }
        }

        private void told(String patch) {
            told.append("\n").append(bench.nowMillis - base).append(' ').append(patch);
            ObjectNode json = json(patch);
            ObjectNode whole = json("{\"app\":\"test\",\"name\":\"t\"}");
            edit(task, (current, now) -> {
                if (!json.has("schedule")) {
                    return TaskChanges.patch(json, Calendars.NONE).decide(current, now);
                }
                whole.setAll(json);
                whole.setAll(
                        json("{\"overlap\":\"ALLOW\",\"maxRuns\":40,\"handler\":{\"type\":\"java\",\"key\":\"k\"}}"));
                return TaskChanges.replace(whole, Calendars.NONE).decide(current, now);
            });
        }

        private void failOver() {
            told.append("\n").append(bench.nowMillis - base).append(" failover");
            long now = bench.nowMillis;
            bench.close();
            open();
            bench.nowMillis = now;
            epoch = bench.begin();
        }

        private String schedule() {
            return SCHEDULES.get(random.nextInt(SCHEDULES.size()));
        }

        private String pick(String... choices) {
            return choices[random.nextInt(choices.length)];
        }
    }
}
