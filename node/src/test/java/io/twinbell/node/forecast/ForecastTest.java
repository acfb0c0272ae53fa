package io.twinbell.node.forecast;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.node.json.Instants;
import io.twinbell.node.schedule.Calendars;
import io.twinbell.persistence.task.Task;
import io.twinbell.persistence.task.TaskContent;
import io.twinbell.persistence.task.TaskProgress;
import io.twinbell.persistence.task.TaskState;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class ForecastTest {
    private static final long NOW = Instants.millis("2026-03-29T00:00:00Z");
    private static final long UNTIL = NOW + Duration.ofHours(3).toMillis();
    private static final String HOURLY = "{\"cron\":\"0 * * * *\"}";

    private final Task unreadable = task(1, "{\"cron\":\"nonsense\"}", "");
    private final Forecast forecast = new Forecast(
            NOW,
            UNTIL,
            new SlotPlanner(NOW, UNTIL, List.of(), Duration.ofDays(30), () -> true),
            new ChainPlanner(name -> Optional.of(unreadable), Map.of(), UNTIL, () -> true),
            Map.of(),
            List.of());

    private static Task task(long id, String schedule, String more) {
        String definition = "{\"schedule\":" + schedule + ",\"start\":\"2026-03-01T00:00:00.000Z\""
                + ",\"handler\":{\"type\":\"log\",\"message\":\"\"}" + more + "}";
        return new Task(
                id,
                1,
                new TaskContent("a", "n" + id, null, List.of(), "log", null, definition),
                TaskProgress.fresh(TaskState.ACTIVE, null, OptionalLong.of(NOW)),
                NOW,
                NOW);
    }

    @Test
    void a_task_whose_definition_cannot_be_read_is_counted_and_does_not_hide_the_others() {
        assertTrue(forecast.add(unreadable, Calendars.NONE));
        assertTrue(forecast.add(task(2, HOURLY, ""), Calendars.NONE));
        assertEquals(1, forecast.unreadable());
        assertEquals(1, forecast.tasks());
        assertEquals(3, forecast.runs());
        assertTrue(forecast.isComplete());
    }

    @Test
    void a_follower_whose_definition_cannot_be_read_is_left_out() {
        Task leader = task(2, HOURLY, ",\"then\":[{\"app\":\"a\",\"name\":\"n1\"}]");
        assertTrue(forecast.add(leader, Calendars.NONE));
        assertEquals(3, forecast.runs());
    }
}
