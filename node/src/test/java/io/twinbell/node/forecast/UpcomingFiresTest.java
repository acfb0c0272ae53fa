package io.twinbell.node.forecast;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.twinbell.node.json.Instants;
import io.twinbell.node.schedule.Calendars;
import io.twinbell.persistence.task.Task;
import io.twinbell.persistence.task.TaskContent;
import io.twinbell.persistence.task.TaskProgress;
import io.twinbell.persistence.task.TaskState;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class UpcomingFiresTest {
    /** An hour before the clocks of Berlin go forward. */
    private static final long NOW = Instants.millis("2026-03-29T00:00:00Z");

    private static final long HOUR = 3_600_000;

    private static Task task(long id, String schedule, long nextMillis) {
        String definition = "{\"schedule\":" + schedule
                + ",\"start\":\"2026-03-01T00:00:00.000Z\",\"handler\":{\"type\":\"log\",\"message\":\"\"}}";
        return new Task(
                id,
                1,
                new TaskContent("a", "n" + id, null, List.of(), "log", null, definition),
                TaskProgress.fresh(TaskState.ACTIVE, null, OptionalLong.of(nextMillis)),
                NOW,
                NOW);
    }

    private static UpcomingFires of(List<Task> tasks) {
        return of(tasks, NOW, NOW + 3 * HOUR);
    }

    private static UpcomingFires of(List<Task> tasks, long fromMillis, long untilMillis) {
        return new UpcomingFires(tasks, Calendars.NONE, List.of(), new UpcomingFires.Span(fromMillis, untilMillis, 5));
    }

    @Test
    void a_clock_change_of_a_tasks_zone_is_listed_with_both_offsets() {
        List<Task> tasks = List.of(
                task(1, "{\"cron\":\"30 * * * *\",\"zone\":\"Europe/Berlin\"}", NOW + HOUR / 2),
                task(2, "{\"cron\":\"45 * * * *\",\"zone\":\"Asia/Tokyo\"}", NOW + HOUR * 3 / 4));
        assertEquals(
                List.of(new UpcomingFires.ClockChange("Europe/Berlin", NOW + HOUR, "+01:00", "+02:00")),
                of(tasks).clockChanges());
        assertEquals(List.of(), of(tasks, NOW, NOW + HOUR).clockChanges());
    }

    @Test
    void a_next_fire_time_off_the_schedule_counts_and_the_schedule_follows() {
        UpcomingFires fires = of(List.of(task(1, "{\"cron\":\"0 * * * *\"}", NOW + 60_000)));
        assertEquals(
                List.of(NOW + 60_000, NOW + HOUR, NOW + 2 * HOUR),
                fires.minutes().stream().map(UpcomingFires.Minute::atMillis).toList());
    }

    @Test
    void counts_end_before_the_first_task_that_was_not_read() {
        List<Task> tasks = new ArrayList<>();
        for (int i = 0; i <= UpcomingFires.MAX_TASKS; i++) {
            tasks.add(task(i, "{\"every\":\"PT24H\"}", NOW + i * 1000L));
        }
        UpcomingFires fires = of(tasks);
        assertEquals(UpcomingFires.MAX_TASKS, fires.tasks());
        assertEquals(NOW + UpcomingFires.MAX_TASKS * 1000L, fires.completeUntilMillis());
        assertEquals(
                UpcomingFires.MAX_TASKS,
                fires.minutes().stream().mapToLong(UpcomingFires.Minute::fires).sum());
    }

    @Test
    void a_definition_that_cannot_be_read_counts_once_and_does_not_hide_the_others() {
        UpcomingFires fires = of(List.of(
                task(1, "{\"cron\":\"nonsense\"}", NOW + 1000), task(2, "{\"cron\":\"0 * * * *\"}", NOW + HOUR)));
        assertEquals(1, fires.minutes().get(0).fires());
        assertEquals(
                List.of(NOW, NOW + HOUR, NOW + 2 * HOUR),
                fires.minutes().stream().map(UpcomingFires.Minute::atMillis).toList());
        assertEquals(NOW + 3 * HOUR, fires.completeUntilMillis());
    }
}
