package io.twinbell.node.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.node.calendar.CalendarBook;
import io.twinbell.node.calendar.CalendarEdits;
import io.twinbell.node.calendar.store.CalendarStore;
import io.twinbell.node.calendar.store.LaggingTasks;
import io.twinbell.node.engine.task.Schedule;
import io.twinbell.node.engine.trigger.LookAhead;
import io.twinbell.node.loop.Loop;
import io.twinbell.node.schedule.Calendars;
import io.twinbell.node.task.TaskChanges;
import io.twinbell.node.task.TaskReader;
import io.twinbell.persistence.clock.Ticker;
import io.twinbell.persistence.task.TaskDecision;
import io.twinbell.persistence.testing.RandomCases;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.postgresql.ds.PGSimpleDataSource;

/** Calendars that exclude slots, and that change while tasks are due. */
class CalendarFiringTest {
    private static final PGSimpleDataSource DATABASE = EngineBench.DATABASE;

    private final CalendarEdits edits = new CalendarEdits(new CalendarStore(DATABASE), new LaggingTasks(DATABASE));

    @AutoClose
    private final EngineBench bench = EngineBench.cleared(DATABASE, 1000);

    private long fire;

    @BeforeEach
    void prepare() {
        fire = Math.floorDiv(bench.nowMillis, 60_000) * 60_000 + 60_000;
        bench.nowMillis = fire;
    }

    @Test
    void a_due_slot_that_a_calendar_has_come_to_exclude_is_passed_over_without_a_row() {
        calendar("c");
        long task = respecting("t", StoredTasks.EVERY_SECOND, "c");
        bench.beginAndFire();
        // As if the node that changed it had died before it recomputed anything.
        calendar("c", 1, 3);
        bench.calendars.outdated();
        fireAt(1);
        fireAt(2);
        assertEquals(fire + 3000, bench.nextOf(task));
        fireAt(3);
        assertEquals(List.of("t 0 1", "t 0 1"), bench.ran);
        assertEquals(List.of("t SUCCEEDED 1", "t SUCCEEDED 1"), bench.ledger());
    }

    @Test
    void a_misfire_counts_only_what_the_calendars_let_through() {
        calendar("c", 10, 50);
        respecting("t", StoredTasks.EVERY_SECOND, "c");
        bench.nowMillis = fire + 60_000;
        bench.beginAndFire();
        bench.tasks.assertRows(
                "select state, slots from twinbell.execution order by fire_time", "MISSED|20", "SUCCEEDED|1");
    }

    @Test
    void a_single_instant_that_is_excluded_finishes_its_task_with_the_reason() {
        calendar("c");
        long task = respecting("once", "{\"at\":\"" + Instant.ofEpochMilli(fire) + "\"}", "c");
        calendar("c", 0, 1);
        bench.beginAndFire();
        assertEquals(List.of(), bench.ledger());
        bench.tasks.assertRows(
                "select state, state_reason from twinbell.task_state where task_id = " + task,
                "FINISHED|its calendars let no further fire time through");
    }

    @Test
    void a_fixed_delay_task_waits_for_the_end_of_the_exclusion() {
        calendar("c", 30, 90);
        long task = respecting("t", StoredTasks.DELAY_OF_A_MINUTE, "c");
        bench.beginAndFire();
        assertEquals(fire + 90_000, bench.nextOf(task));
    }

    @Test
    void a_due_time_that_follows_a_run_moves_to_the_first_instant_let_through() {
        calendar("c");
        long task = respecting("t", StoredTasks.DELAY_OF_A_MINUTE, "c");
        calendar("c", 0, 20);
        bench.beginAndFire();
        assertEquals(List.of(), bench.ledger());
        assertEquals(fire + 20_000, bench.nextOf(task));
    }

    @Test
    void a_task_that_waits_for_its_run_is_computed_anew_when_the_run_has_ended() {
        calendar("c", 30, 4000);
        long task = respecting("t", StoredTasks.DELAY_OF_A_MINUTE, "c");
        bench.begin();
        bench.onRun(context -> {
            calendar("c");
            edits.step(new Loop("test", Ticker.SYSTEM));
        });
        bench.fireAll();
        assertEquals(fire + 4_000_000, bench.nextOf(task), "the run ends under the old calendar");
        edits.step(new Loop("test", Ticker.SYSTEM));
        assertTrue(bench.nextOf(task) <= fire + 120_000, "and the new one lets it come forward");
    }

    @Test
    void a_task_may_be_read_before_its_calendar_was_heard_of() {
        calendar("c");
        respecting("first", StoredTasks.EVERY_SECOND, "c");
        bench.beginAndFire();
        calendar("d");
        bench.requests.add(respecting("second", StoredTasks.EVERY_SECOND, "d"));
        bench.fireAll();
        assertEquals(List.of("first 0 1", "second 0 1"), bench.ran);
    }

    @Test
    void a_calendar_that_cannot_be_read_puts_the_tasks_that_respect_it_into_error_and_stops_nobody_else() {
        bench.tasks.execute("insert into twinbell.calendar (name, content) values ('bad', '{\"mode\":\"MAYBE\"}')");
        long bad = respecting("bad", StoredTasks.EVERY_SECOND, "bad");
        bench.task("good", StoredTasks.EVERY_SECOND, fire);
        bench.beginAndFire();
        assertEquals(List.of("good 0 1"), bench.ran);
        String state = bench.tasks
                .query("select state, state_reason from twinbell.task_state where task_id = " + bad)
                .get(0);
        assertTrue(state.startsWith("ERROR|/calendars/0: the calendar bad can't be read: /mode"), state);
    }

    static LongStream seeds() {
        return LongStream.rangeClosed(1, RandomCases.count(1, 10));
    }

    /** Every second runs if and only if the calendars of that second let it through, however they change. */
    @ParameterizedTest
    @MethodSource("seeds")
    void calendars_that_change_all_the_time_let_through_what_they_say_at_each_slot(long seed) {
        Random random = new Random(seed);
        calendar("c");
        calendar("d");
        long[] tasks = {
            respecting("c", StoredTasks.EVERY_SECOND, "c"),
            respecting("d", StoredTasks.EVERY_SECOND, "d"),
            respecting("cd", StoredTasks.EVERY_SECOND, "c", "d")
        };
        bench.begin();
        List<String> expected = new ArrayList<>();
        List<String> ran = new ArrayList<>();
        bench.handler =
                context -> ran.add(context.name() + " " + (context.fireTime().toEpochMilli() - fire) / 1000);
        TreeSet<Integer> closedC = new TreeSet<>();
        TreeSet<Integer> closedD = new TreeSet<>();
        for (int second = 0; second < 60; second++) {
            bench.nowMillis = fire + second * 1000L - 500;
            if (random.nextInt(3) == 0) {
                TreeSet<Integer> closed = random.nextBoolean() ? closedC : closedD;
                closed.clear();
                for (int i = random.nextInt(20); i > 0; i--) {
                    closed.add(second + random.nextInt(20));
                }
                write(closed == closedC ? "c" : "d", closed);
                bench.calendars.outdated();
                computeAnew();
                bench.requests.add(tasks);
            }
            fireAt(second);
            int now = second;
            if (!closedC.contains(now)) {
                expected.add("c " + now);
            }
            if (!closedD.contains(now)) {
                expected.add("d " + now);
            }
            if (!closedC.contains(now) && !closedD.contains(now)) {
                expected.add("cd " + now);
            }
        }
        assertEquals(new TreeSet<>(expected), new TreeSet<>(ran), "seed " + seed);
        assertEquals(ran.size(), new TreeSet<>(ran).size(), "nothing runs twice");
        assertEquals(ran.size(), bench.ledger().size(), "and nothing else is in the ledger");
    }

    @Test
    void a_slot_that_is_excluded_is_no_run() {
        calendar("c");
        long task = respecting("t", StoredTasks.EVERY_SECOND, "c", fire, ",\"maxRuns\":2");
        bench.beginAndFire();
        calendar("c", 1, 3);
        bench.calendars.outdated();
        fireAt(1);
        assertEquals(List.of("ACTIVE|1"), runs(task));
        fireAt(3);
        fireAt(4);
        assertEquals(List.of("FINISHED|2"), runs(task));
        assertEquals(List.of("t SUCCEEDED 1", "t SUCCEEDED 1"), bench.ledger());
        calendar("c");
        computeAnew();
        assertEquals(List.of("FINISHED|2"), runs(task), "no calendar sets it going again");
    }

    private List<String> runs(long task) {
        return bench.tasks.query("select state, runs from twinbell.task_state where task_id = " + task);
    }

    /** A slot runs if and only if the calendars at its fire time allow its planned instant. */
    @ParameterizedTest
    @MethodSource("seeds")
    void jittered_slots_run_neither_twice_nor_never_however_their_calendar_changes(long seed) {
        Random random = new Random(seed);
        String jitter = ",\"jitter\":\"PT0.9S\"";
        Schedule schedule = TaskReader.definition(
                        "test", "t", StoredTasks.json(StoredTasks.EVERY_SECOND, jitter), Calendars.NONE)
                .schedule();
        calendar("c");
        long task = respecting("t", StoredTasks.EVERY_SECOND, "c", schedule.next(fire - 1), jitter);
        bench.begin();
        List<Long> expected = new ArrayList<>();
        List<Long> ran = new ArrayList<>();
        bench.handler = context -> ran.add(context.fireTime().toEpochMilli());
        TreeSet<Integer> closed = new TreeSet<>();
        long slot = schedule.next(fire - 1);
        for (int half = 0; half < 100; half++) {
            bench.nowMillis = fire + half * 500L;
            // A slot that is claimed ahead is judged by the calendars of its claim. A slot that was excluded then and
            // is still to come is judged again when they change.
            List<Long> excludedAhead = new ArrayList<>();
            for (; slot <= bench.nowMillis + LookAhead.USUAL.toMillis(); slot = schedule.next(slot)) {
                if (!closed.contains((int) ((schedule.nominalTime(slot) - fire) / 1000))) {
                    expected.add(slot);
                } else if (slot > bench.nowMillis) {
                    excludedAhead.add(slot);
                }
            }
            bench.fireAll();
            if (random.nextInt(3) == 0) {
                closed.clear();
                for (int i = random.nextInt(20); i > 0; i--) {
                    closed.add(half / 2 + random.nextInt(10));
                }
                write("c", closed);
                bench.calendars.outdated();
                computeAnew();
                bench.requests.add(task);
                excludedAhead.stream()
                        .filter(ahead -> !closed.contains((int) ((schedule.nominalTime(ahead) - fire) / 1000)))
                        .forEach(expected::add);
            }
        }
        bench.nowMillis += LookAhead.USUAL.toMillis();
        bench.fireAll();
        assertEquals(expected, ran, "seed " + seed);
        assertEquals(
                ran.size(),
                bench.ledger().stream()
                        .filter(row -> !row.equals("t CLAIMED 1"))
                        .count(),
                "and nothing else is in the ledger");
    }

    private long respecting(String name, String schedule, String calendar, long next, String more) {
        long task = bench.task(name, schedule, next, ",\"calendars\":[\"" + calendar + "\"]" + more);
        bench.tasks.execute("insert into twinbell.task_calendar (task_id, calendar, version) select " + task
                + ", name, version from twinbell.calendar where name = '" + calendar + "'");
        return task;
    }

    /** Recomputes the next fire time as an edit does, but at the time of the bench. */
    private void computeAnew() {
        TaskDecision recalculation = TaskChanges.recalculate(new CalendarBook(new CalendarStore(DATABASE)).fresh());
        LaggingTasks lagging = new LaggingTasks(DATABASE);
        for (String name : lagging.calendars()) {
            assertTrue(lagging.change(name, 0, (task, now) -> recalculation.decide(task, bench.nowMillis)) > 0);
        }
    }

    private void fireAt(int second) {
        bench.nowMillis = fire + second * 1000L;
        bench.fireAll();
    }

    /** Excludes the seconds from the one to before the other, counted from the first fire time. */
    private void calendar(String name, int... fromAndTo) {
        write(name, fromAndTo.length == 0 ? "" : span(fromAndTo[0], fromAndTo[1]));
    }

    private void write(String name, TreeSet<Integer> closed) {
        write(name, closed.stream().map(second -> span(second, second + 1)).collect(Collectors.joining(",")));
    }

    private void write(String name, String spans) {
        bench.tasks.execute("insert into twinbell.calendar (name, content) values ('" + name + "', '{\"spans\":["
                + spans + "]}') on conflict (name) do update set content = excluded.content,"
                + " version = nextval('twinbell.calendar_version')");
    }

    private String span(int from, int to) {
        return "{\"from\":\"" + Instant.ofEpochMilli(fire + from * 1000L) + "\",\"to\":\""
                + Instant.ofEpochMilli(fire + to * 1000L) + "\"}";
    }

    private long respecting(String name, String schedule, String... calendars) {
        String names = String.join("\",\"", calendars);
        long task = bench.task(name, schedule, fire, ",\"calendars\":[\"" + names + "\"]");
        bench.tasks.execute("insert into twinbell.task_calendar (task_id, calendar, version) select " + task
                + ", name, version from twinbell.calendar where name in ('" + String.join("','", calendars) + "')");
        return task;
    }
}
