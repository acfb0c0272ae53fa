package io.twinbell.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.tools.check.history.OwedSlotPlan;
import io.twinbell.tools.verify.NodeAnswers;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class DrillTasksTest {
    private static final long START = 1_800_000_000_123L;

    private static final int MIXED = 200;

    private final List<DrillTask> tasks = tasks(1);

    @Test
    void there_is_every_kind_of_schedule() {
        Set<String> all = Set.of("rate", "delay", "quartz", "unix", "at", "in");
        assertEquals(all, kinds(tasks.subList(0, MIXED)));
        assertEquals(all, kinds(tasks.subList(0, 6)));
    }

    @Test
    void together_the_tasks_of_the_beat_call_every_20_ms() {
        List<OwedSlotPlan.Grid> beat = tasks.subList(MIXED, tasks.size()).stream()
                .map(task -> (OwedSlotPlan.Grid) task.plan())
                .toList();
        Set<Long> slots = new TreeSet<>();
        for (OwedSlotPlan.Grid grid : beat) {
            for (long slot = grid.firstMillis(); slot < START + 1000; slot += grid.everyMillis()) {
                slots.add(slot);
            }
        }
        assertEquals(
                LongStream.iterate(START, slot -> slot < START + 1000, slot -> slot + 20)
                        .boxed()
                        .toList(),
                List.copyOf(slots));
    }

    @Test
    void every_kind_meets_every_pair_of_policies() {
        Set<String> met = tasks.subList(0, MIXED).stream()
                .map(task ->
                        kind(task) + task.policies().reruns() + task.policies().overlap())
                .collect(Collectors.toSet());

        assertEquals(6 * 4, met.size());
    }

    @Test
    void the_definition_says_what_the_plan_reckons_with() {
        for (DrillTask task : tasks) {
            assertEquals(
                    task.policies().reruns() ? "RERUN" : "DROP",
                    task.definition().path("orphan").asText());
            assertEquals(
                    task.policies().overlap().name(),
                    task.definition().path("overlap").asText());
            assertEquals(
                    Duration.parse(task.definition().at("/misfire/threshold").asText()),
                    Duration.ofMillis(task.policies().thresholdMillis().orElseThrow()));
            long start = NodeAnswers.millis(task.definition(), "start").orElseThrow();
            if (task.plan() instanceof OwedSlotPlan.Grid grid && kind(task).equals("rate")) {
                assertEquals(new OwedSlotPlan.Grid(start, every(task)), grid);
            } else if (task.plan() instanceof OwedSlotPlan.Chain chain) {
                assertEquals(new OwedSlotPlan.Chain(start, every(task)), chain);
            }
        }
    }

    @Test
    void whatever_repeats_does_so_at_least_once_a_second() {
        for (DrillTask task : tasks) {
            if (task.plan() instanceof OwedSlotPlan.Grid grid) {
                assertTrue(grid.everyMillis() >= 100 && grid.everyMillis() <= 1000, task::toString);
            }
        }
    }

    @Test
    void a_cron_of_every_second_fires_first_at_the_first_whole_second() {
        for (DrillTask task : tasks) {
            if (task.plan() instanceof OwedSlotPlan.Grid grid
                    && Set.of("quartz", "unix").contains(kind(task))) {
                long start = NodeAnswers.millis(task.definition(), "start").orElseThrow();
                assertEquals(0, grid.firstMillis() % 1000);
                assertTrue(grid.firstMillis() >= start && grid.firstMillis() < start + 1000);
            }
        }
    }

    @Test
    void nothing_fires_before_the_start() {
        for (DrillTask task : tasks) {
            assertTrue(task.plan().firstMillis() >= START, task::toString);
        }
    }

    @Test
    void the_same_seed_makes_the_same_tasks() {
        assertEquals(tasks, tasks(1));
        assertNotEquals(tasks, tasks(2));
    }

    private static List<DrillTask> tasks(long seed) {
        return new DrillTasks(new SplittableRandom(seed), "app", "http://127.0.0.1:1", START, Duration.ofSeconds(20))
                .make(MIXED);
    }

    private static Set<String> kinds(List<DrillTask> tasks) {
        return tasks.stream().map(DrillTasksTest::kind).collect(Collectors.toSet());
    }

    private static String kind(DrillTask task) {
        return task.name().split("-")[1];
    }

    private static long every(DrillTask task) {
        return Duration.parse(task.definition().path("schedule").path("every").asText())
                .toMillis();
    }
}
