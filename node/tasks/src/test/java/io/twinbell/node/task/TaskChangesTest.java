package io.twinbell.node.task;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.engine.task.Schedule;
import io.twinbell.node.json.Instants;
import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.json.StrictJson;
import io.twinbell.node.schedule.Calendars;
import io.twinbell.persistence.task.CaughtUpSlots;
import io.twinbell.persistence.task.PassedSlots;
import io.twinbell.persistence.task.PassedSlots.Outcome;
import io.twinbell.persistence.task.Task;
import io.twinbell.persistence.task.TaskChange;
import io.twinbell.persistence.task.TaskContent;
import io.twinbell.persistence.task.TaskPause;
import io.twinbell.persistence.task.TaskProgress;
import io.twinbell.persistence.task.TaskState;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** The decisions by themselves: no database, no clock. */
class TaskChangesTest {
    private static final long NOON = Instants.millis("2026-03-01T12:00:00Z");
    private static final long HOUR = 3_600_000;

    private static Task task(String schedule, TaskProgress progress) {
        String definition = "{\"schedule\":" + schedule
                + ",\"start\":\"2026-03-01T00:00:00.000Z\",\"handler\":{\"type\":\"log\",\"message\":\"\"}}";
        TaskContent content = new TaskContent("a", "n", null, List.of(), "log", null, definition);
        return new Task(7, 3, content, progress, NOON, NOON);
    }

    private static TaskProgress at(TaskState state, String reason, long nextMillis) {
        return TaskProgress.fresh(state, reason, OptionalLong.of(nextMillis));
    }

    private static TaskChange.Rewrite patched(Task task, long now, String patch) {
        ObjectNode json = (ObjectNode) StrictJson.read(patch.getBytes(StandardCharsets.UTF_8));
        return assertInstanceOf(
                TaskChange.Rewrite.class,
                TaskChanges.patch(json, Calendars.NONE).decide(task, now));
    }

    private static Optional<PassedSlots> passedByRemoval(Task task, long now) {
        return assertInstanceOf(
                        TaskChange.Remove.class,
                        TaskChanges.remove("gone", Calendars.NONE).decide(task, now))
                .passed();
    }

    @Test
    void slots_up_to_and_at_now_are_passed_and_later_ones_are_not() {
        Task task = task("{\"every\":\"PT1H\"}", at(TaskState.ACTIVE, null, NOON));
        assertEquals(Optional.empty(), passedByRemoval(task, NOON - 1));
        assertEquals(
                Optional.of(new PassedSlots(NOON, NOON, NOON, 1, Outcome.MISSED, "gone")), passedByRemoval(task, NOON));
        assertEquals(
                Optional.of(new PassedSlots(NOON, NOON + HOUR, NOON + 2 * HOUR, 3, Outcome.MISSED, "gone")),
                passedByRemoval(task, NOON + 3 * HOUR - 1));
    }

    @Test
    void more_cron_slots_than_are_worth_counting_say_so_and_end_where_they_end() {
        Task task = task("{\"cron\":\"* * * * * ?\"}", at(TaskState.ACTIVE, null, NOON));
        PassedSlots passed = passedByRemoval(task, NOON + 24 * HOUR).orElseThrow();
        assertEquals(NOON + 24 * HOUR, passed.lastMillis());
        assertEquals(10_000, passed.slots());
        assertEquals("gone; at least this many slots", passed.reason());
    }

    @Test
    void a_definition_that_can_not_be_read_owes_the_slot_that_it_stands_at() {
        Task task = task("{\"every\":\"nonsense\"}", at(TaskState.ERROR, "bad", NOON));
        PassedSlots passed = passedByRemoval(task, NOON + HOUR).orElseThrow();
        assertEquals(NOON, passed.firstMillis());
        assertEquals(1, passed.slots());
    }

    @Test
    void a_slot_that_an_earlier_task_of_the_name_had_is_not_passed_a_second_time() {
        TaskProgress madeAnew = new TaskProgress(
                TaskState.ACTIVE, null, OptionalLong.of(NOON), OptionalLong.of(NOON), TaskPause.NONE, 0, false);
        Task task = task("{\"every\":\"PT1H\"}", madeAnew);
        assertEquals(Optional.empty(), passedByRemoval(task, NOON));
        assertEquals(
                Optional.of(new PassedSlots(NOON + HOUR, NOON + 2 * HOUR, NOON + 2 * HOUR, 2, Outcome.MISSED, "gone")),
                passedByRemoval(task, NOON + 2 * HOUR));
    }

    @Test
    void a_finished_task_owes_nothing() {
        Task task = task("{\"every\":\"PT1H\"}", at(TaskState.FINISHED, null, NOON));
        assertEquals(Optional.empty(), passedByRemoval(task, NOON + HOUR));
    }

    @Test
    void slots_of_a_pause_are_skipped_with_its_reason_whatever_ends_it() {
        Task task = task("{\"every\":\"PT1H\"}", at(TaskState.PAUSED, "night", NOON));
        Optional<PassedSlots> skipped =
                Optional.of(new PassedSlots(NOON, NOON + HOUR, NOON + HOUR, 2, Outcome.SKIPPED, "paused: night"));
        long now = NOON + HOUR;
        assertEquals(skipped, passedByRemoval(task, now));
        assertEquals(
                skipped,
                patched(task, now, "{\"schedule\":{\"every\":\"PT2H\"}}").passed());
        assertEquals(skipped, patched(task, now, "{\"enabled\":true}").passed());
        TaskChange resumed = TaskChanges.resume(Calendars.NONE).decide(task, now);
        assertEquals(
                skipped, assertInstanceOf(TaskChange.Rewrite.class, resumed).passed());
    }

    private static TaskChange.Rewrite caughtUp(Task task, long now, int slots) {
        return assertInstanceOf(
                TaskChange.Rewrite.class,
                TaskChanges.resume(Calendars.NONE, slots).decide(task, now));
    }

    @Test
    void a_resume_catches_up_the_newest_slots_and_skips_those_before() {
        Task task = task("{\"every\":\"PT1H\"}", at(TaskState.PAUSED, "night", NOON));
        long now = NOON + 3 * HOUR;
        TaskChange.Rewrite two = caughtUp(task, now, 2);
        assertEquals(
                new CaughtUpSlots(List.of(NOON + 2 * HOUR, NOON + 3 * HOUR), "caught up: paused: night"),
                two.caughtUp());
        assertEquals(
                Optional.of(new PassedSlots(NOON, NOON + HOUR, NOON + HOUR, 2, Outcome.SKIPPED, "paused: night")),
                two.passed());
        TaskChange.Rewrite all = caughtUp(task, now, 4);
        assertEquals(
                List.of(NOON, NOON + HOUR, NOON + 2 * HOUR, NOON + 3 * HOUR),
                all.caughtUp().fireMillis());
        assertEquals(Optional.empty(), all.passed());
        assertEquals(CaughtUpSlots.NONE, caughtUp(task, NOON - 1, 4).caughtUp(), "nothing has passed");
    }

    @Test
    void the_slot_of_a_fixed_delay_or_a_move_by_hand_is_caught_up_too() {
        TaskProgress paused = at(TaskState.PAUSED, "night", NOON + 7);
        Task delay = task("{\"every\":\"PT1H\",\"mode\":\"FIXED_DELAY\"}", paused);
        assertEquals(
                List.of(NOON + 7),
                caughtUp(delay, NOON + 9 * HOUR, 5).caughtUp().fireMillis());
        assertEquals(
                List.of(NOON + 7, NOON + HOUR),
                caughtUp(task("{\"every\":\"PT1H\"}", paused), NOON + HOUR, 5)
                        .caughtUp()
                        .fireMillis());
    }

    @Test
    void a_pause_with_an_end_is_over_as_of_that_end_however_late_somebody_looks() {
        TaskProgress paused = new TaskProgress(
                TaskState.PAUSED,
                "night",
                OptionalLong.of(NOON),
                OptionalLong.empty(),
                new TaskPause("bob", OptionalLong.of(NOON + HOUR + 1)),
                0,
                false);
        Task task = task("{\"every\":\"PT1H\"}", paused);
        assertInstanceOf(
                TaskChange.Keep.class, TaskChanges.endPause(Calendars.NONE).decide(task, NOON + HOUR));
        TaskChange.Rewrite ended = assertInstanceOf(
                TaskChange.Rewrite.class, TaskChanges.endPause(Calendars.NONE).decide(task, NOON + 9 * HOUR));
        assertEquals(
                Optional.of(
                        new PassedSlots(NOON, NOON + HOUR, NOON + HOUR, 2, Outcome.SKIPPED, "paused by bob: night")),
                ended.passed());
        assertEquals(at(TaskState.ACTIVE, null, NOON + 2 * HOUR), ended.progress());
    }

    @Test
    void a_pause_without_an_end_is_ended_by_nobody_but_people() {
        Task task = task("{\"every\":\"PT1H\"}", at(TaskState.PAUSED, "night", NOON));
        assertInstanceOf(
                TaskChange.Keep.class, TaskChanges.endPause(Calendars.NONE).decide(task, NOON + HOUR));
    }

    @Test
    void a_paused_task_that_is_edited_stays_paused_where_the_new_schedule_will_go_on() {
        Task task = task("{\"every\":\"PT1H\"}", at(TaskState.PAUSED, "night", NOON));
        TaskProgress after = patched(task, NOON + HOUR, "{\"schedule\":{\"every\":\"PT2H\"}}")
                .progress();
        assertEquals(at(TaskState.PAUSED, "night", NOON + 2 * HOUR), after);
    }

    @Test
    void a_fire_time_moved_by_hand_records_what_was_due_before() {
        Task task = task("{\"every\":\"PT1H\"}", at(TaskState.ACTIVE, null, NOON));
        TaskChange.Rewrite moved = patched(task, NOON + 1, "{\"nextFireTime\":\"2026-03-01T12:00:00.002Z\"}");
        assertEquals(OptionalLong.of(NOON + 2), moved.progress().nextFireMillis());
        assertEquals(1, moved.passed().orElseThrow().slots());
    }

    @Test
    void resuming_what_can_not_be_read_makes_it_an_error_that_says_why() {
        Task task = task("{\"every\":\"nonsense\"}", at(TaskState.PAUSED, null, NOON));
        TaskChange change = TaskChanges.resume(Calendars.NONE).decide(task, NOON);
        TaskProgress progress =
                assertInstanceOf(TaskChange.Rewrite.class, change).progress();
        assertEquals(TaskState.ERROR, progress.state());
        assertTrue(progress.reason().contains("/schedule/every"), progress.reason());
    }

    @Test
    void a_version_that_does_not_match_is_a_conflict_before_anything_else() {
        Task task = task("{\"every\":\"PT1H\"}", at(TaskState.ACTIVE, null, NOON));
        ObjectNode patch = (ObjectNode) StrictJson.read("{\"version\":2,\"foo\":1}".getBytes(StandardCharsets.UTF_8));
        VersionConflictException conflict = assertThrows(
                VersionConflictException.class,
                () -> TaskChanges.patch(patch, Calendars.NONE).decide(task, NOON));
        assertEquals(3, conflict.actual());
    }

    private static Task counted(String more, TaskProgress progress) {
        Task task = task("{\"every\":\"PT1H\"}", progress);
        String definition = task.content().definition().replaceFirst("\\{", "{" + more + ",");
        TaskContent content = new TaskContent("a", "n", null, List.of(), "log", null, definition);
        return new Task(7, 3, content, progress, NOON, NOON);
    }

    private static TaskProgress runs(TaskState state, OptionalLong next, long runs) {
        return new TaskProgress(state, null, next, OptionalLong.of(NOON - HOUR), TaskPause.NONE, runs, false);
    }

    private static final OptionalLong NONE = OptionalLong.empty();
    private static final OptionalLong AT_NOON = OptionalLong.of(NOON);

    @Test
    void more_runs_set_a_finished_task_going_from_now_on() {
        Task task = counted("\"maxRuns\":3", runs(TaskState.FINISHED, NONE, 3));
        long now = NOON + 5 * HOUR + 1;
        TaskChange.Rewrite more = patched(task, now, "{\"maxRuns\":4}");
        assertEquals(runs(TaskState.ACTIVE, OptionalLong.of(NOON + 6 * HOUR), 3), more.progress());
        assertEquals(Optional.empty(), more.passed(), "what came while it was finished was never owed");
        assertEquals(
                TaskState.ACTIVE,
                patched(task, now, "{\"maxRuns\":null}").progress().state());
    }

    @Test
    void more_runs_do_not_set_a_task_going_whose_schedule_is_over() {
        Task task = counted("\"maxRuns\":3,\"end\":\"2026-03-01T12:00:00.000Z\"", runs(TaskState.FINISHED, NONE, 3));
        assertEquals(
                runs(TaskState.FINISHED, NONE, 3),
                patched(task, NOON, "{\"maxRuns\":4}").progress());
    }

    @Test
    void fewer_runs_than_it_has_had_finish_a_task_and_record_what_was_due() {
        Task task = counted("\"maxRuns\":9", runs(TaskState.ACTIVE, AT_NOON, 3));
        TaskChange.Rewrite fewer = patched(task, NOON + 1, "{\"maxRuns\":2}");
        assertEquals(runs(TaskState.FINISHED, NONE, 3), fewer.progress());
        assertEquals(1, fewer.passed().orElseThrow().slots());
        assertEquals(
                runs(TaskState.ACTIVE, AT_NOON, 3),
                patched(task, NOON + 1, "{\"maxRuns\":4}").progress());
    }

    @Test
    void no_other_edit_sets_a_task_going_that_has_had_its_runs() {
        Task task = counted("\"maxRuns\":3", runs(TaskState.FINISHED, NONE, 3));
        for (String patch : List.of(
                "{\"owner\":\"x\"}",
                "{\"schedule\":{\"every\":\"PT2H\"}}",
                "{\"jitter\":\"PT1M\"}",
                "{\"maxRuns\":1}",
                "{\"enabled\":false,\"owner\":\"x\"}")) {
            assertEquals(
                    runs(TaskState.FINISHED, NONE, 3),
                    patched(task, NOON, patch).progress(),
                    patch);
        }
        ObjectNode moved = json("{\"nextFireTime\":\"2026-03-02T00:00:00Z\"}");
        InvalidJsonException refusal = assertThrows(
                InvalidJsonException.class,
                () -> TaskChanges.patch(moved, Calendars.NONE).decide(task, NOON));
        assertEquals("/nextFireTime: the task already had 3 runs, and maxRuns is 3", refusal.getMessage());
        ObjectNode both = json("{\"nextFireTime\":\"2026-03-02T00:00:00Z\",\"maxRuns\":4}");
        TaskChange change = TaskChanges.patch(both, Calendars.NONE).decide(task, NOON);
        assertEquals(
                TaskState.ACTIVE,
                assertInstanceOf(TaskChange.Rewrite.class, change).progress().state());
    }

    @Test
    void a_paused_task_whose_runs_are_cut_stays_paused_and_is_finished_when_it_is_resumed() {
        Task task = counted("\"maxRuns\":9", at(TaskState.PAUSED, "night", NOON));
        TaskProgress three = new TaskProgress(TaskState.PAUSED, "night", AT_NOON, NONE, TaskPause.NONE, 3, false);
        task = new Task(7, 3, task.content(), three, NOON, NOON);
        TaskChange.Rewrite cut = patched(task, NOON - 1, "{\"maxRuns\":3}");
        assertEquals(TaskState.PAUSED, cut.progress().state());
        assertEquals("night", cut.progress().reason());
        Task afterwards = new Task(7, 4, cut.content(), cut.progress(), NOON, NOON);
        TaskChange resumed = TaskChanges.resume(Calendars.NONE).decide(afterwards, NOON);
        assertEquals(
                TaskState.FINISHED,
                assertInstanceOf(TaskChange.Rewrite.class, resumed).progress().state());
        TaskChange enabled = TaskChanges.patch(json("{\"enabled\":true,\"maxRuns\":4}"), Calendars.NONE)
                .decide(afterwards, NOON);
        assertEquals(
                OptionalLong.of(NOON + HOUR),
                assertInstanceOf(TaskChange.Rewrite.class, enabled).progress().nextFireMillis());
    }

    @Test
    void a_fire_time_that_is_still_to_come_when_a_pause_ends_stays_though_it_was_set_by_hand() {
        TaskProgress byHand = at(TaskState.PAUSED, "night", NOON + 7).standing();
        TaskChange resumed = TaskChanges.resume(Calendars.NONE).decide(task("{\"every\":\"PT1H\"}", byHand), NOON);
        assertEquals(
                byHand.in(TaskState.ACTIVE, null),
                assertInstanceOf(TaskChange.Rewrite.class, resumed).progress());
    }

    @Test
    void a_one_shot_is_moved_without_its_jitter() {
        Task task = task(
                "{\"at\":\"2026-03-01T13:00:00.000Z\"},\"jitter\":\"PT1H\"", at(TaskState.ACTIVE, null, NOON + HOUR));
        TaskChange.Rewrite moved = patched(task, NOON, "{\"nextFireTime\":\"2026-03-01T12:30:00Z\"}");
        assertEquals(OptionalLong.of(NOON + HOUR / 2), moved.progress().nextFireMillis());
        assertEquals(false, moved.content().definition().contains("jitter"));
        ObjectNode both = json("{\"nextFireTime\":\"2026-03-01T12:30:00Z\",\"jitter\":\"PT1M\"}");
        assertThrows(
                InvalidJsonException.class,
                () -> TaskChanges.patch(both, Calendars.NONE).decide(task, NOON));
    }

    /** The slot of one instant, wherever a jitter puts it, fires once: neither twice nor never. */
    @Test
    void a_changed_jitter_fires_each_instant_once() {
        for (int i = 0; i < 200; i++) {
            String[] jitters = {null, "PT10M", "PT30M", "PT59M"};
            String before = jitters[i % 4];
            String after = jitters[(i / 4 + 1 + i) % 4];
            long now = NOON + i * 17_777L;
            Schedule old = schedule(before);
            Schedule changed = schedule(after);
            long done = old.previous(now + 1);
            TaskProgress progress = new TaskProgress(
                    TaskState.ACTIVE,
                    null,
                    OptionalLong.of(old.next(now)),
                    OptionalLong.of(done),
                    TaskPause.NONE,
                    1,
                    false);
            Task task = new Task(7, 3, jittery(before).content(), progress, NOON, NOON);
            TaskChange change = TaskChanges.patch(json("{\"jitter\":" + quoted(after) + "}"), Calendars.NONE)
                    .decide(task, now);
            long next = change instanceof TaskChange.Rewrite rewrite
                    ? rewrite.progress().nextFireMillis().orElseThrow()
                    : old.next(now);
            String when = before + " to " + after + " at " + Instants.text(now);
            assertTrue(next > now, when);
            assertEquals(
                    old.nominalTime(done) + HOUR,
                    next == old.next(now) ? old.nominalTime(next) : changed.nominalTime(next),
                    when);
            long second = changed.next(next);
            assertEquals(old.nominalTime(done) + 2 * HOUR, changed.nominalTime(second), when);
        }
    }

    private static Schedule schedule(String jitter) {
        return NextFireTimeChange.schedule(jittery(jitter), Calendars.NONE);
    }

    private static Task jittery(String jitter) {
        String more = jitter == null ? "" : ",\"jitter\":\"" + jitter + "\"";
        return task("{\"every\":\"PT1H\"}" + more, at(TaskState.ACTIVE, null, NOON));
    }

    private static String quoted(String text) {
        return text == null ? "null" : "\"" + text + "\"";
    }

    private static ObjectNode json(String text) {
        return (ObjectNode) StrictJson.read(text.getBytes(StandardCharsets.UTF_8));
    }
}
