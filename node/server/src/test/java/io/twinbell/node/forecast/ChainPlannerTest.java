package io.twinbell.node.forecast;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.twinbell.node.schedule.Calendars;
import io.twinbell.persistence.task.Task;
import io.twinbell.persistence.task.TaskContent;
import io.twinbell.persistence.task.TaskName;
import io.twinbell.persistence.task.TaskProgress;
import io.twinbell.persistence.task.TaskState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

class ChainPlannerTest {
    private static final TaskName SELF = new TaskName("a", "self");
    private static final Task FOLLOWS_ITSELF = new Task(
            1,
            1,
            new TaskContent("a", "self", null, List.of(), "log", null, """
                    {"schedule": {"at": "2199-01-01T00:00:00.000Z"}, "start": "2026-03-01T00:00:00.000Z",
                     "handler": {"type": "log", "message": "x"}, "then": [{"app": "a", "name": "self"}]}"""),
            TaskProgress.fresh(TaskState.ACTIVE, null, OptionalLong.empty()),
            0,
            0);

    private final List<Long> fires = new ArrayList<>();

    private void plan(Map<Long, Long> runMillis, long untilMillis, BooleanSupplier goesOn) {
        ChainPlanner planner = new ChainPlanner(
                name -> name.equals(SELF) ? Optional.of(FOLLOWS_ITSELF) : Optional.empty(),
                runMillis,
                untilMillis,
                goesOn);
        planner.plan(List.of(SELF), 1000, Calendars.NONE, (task, definition, slot) -> fires.add(slot.fireMillis()));
    }

    @Test
    void a_chain_goes_on_until_the_end_of_the_span() {
        plan(Map.of(1L, 100L), 1300, () -> true);
        assertEquals(List.of(1000L, 1100L, 1200L), fires);
    }

    @Test
    void a_chain_ends_after_a_hundred_runs() {
        plan(Map.of(), 2000, () -> true);
        assertEquals(100, fires.size());
    }

    @Test
    void a_chain_ends_when_the_time_for_the_forecast_is_over() {
        AtomicInteger asked = new AtomicInteger();
        plan(Map.of(), 2000, () -> asked.incrementAndGet() <= 7);
        assertEquals(7, fires.size());
    }
}
