package io.twinbell.node.task;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.json.Instants;
import io.twinbell.node.json.StrictJson;
import io.twinbell.node.schedule.Calendars;
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
        return new TaskProgress(state, reason, OptionalLong.of(nextMillis), OptionalLong.empty());
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
        assertEquals(Optional.of(new PassedSlots(NOON, NOON, 1, Outcome.MISSED, "gone")), passedByRemoval(task, NOON));
        assertEquals(
                Optional.of(new PassedSlots(NOON, NOON + 2 * HOUR, 3, Outcome.MISSED, "gone")),
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
    void what_is_finished_owes_nothing() {
        Task task = task("{\"every\":\"PT1H\"}", at(TaskState.FINISHED, null, NOON));
        assertEquals(Optional.empty(), passedByRemoval(task, NOON + HOUR));
    }

    @Test
    void slots_of_a_pause_are_skipped_with_its_reason_whatever_ends_it() {
        Task task = task("{\"every\":\"PT1H\"}", at(TaskState.PAUSED, "night", NOON));
        Optional<PassedSlots> skipped =
                Optional.of(new PassedSlots(NOON, NOON + HOUR, 2, Outcome.SKIPPED, "paused: night"));
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

    @Test
    void a_pause_with_an_end_is_over_as_of_that_end_however_late_somebody_looks() {
        TaskProgress paused = new TaskProgress(
                TaskState.PAUSED,
                "night",
                OptionalLong.of(NOON),
                OptionalLong.empty(),
                new TaskPause("bob", OptionalLong.of(NOON + HOUR + 1)));
        Task task = task("{\"every\":\"PT1H\"}", paused);
        assertInstanceOf(
                TaskChange.Keep.class, TaskChanges.endPause(Calendars.NONE).decide(task, NOON + HOUR));
        TaskChange.Rewrite ended = assertInstanceOf(
                TaskChange.Rewrite.class, TaskChanges.endPause(Calendars.NONE).decide(task, NOON + 9 * HOUR));
        assertEquals(
                Optional.of(new PassedSlots(NOON, NOON + HOUR, 2, Outcome.SKIPPED, "paused by bob: night")),
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
}
