package io.twinbell.node.schedule;

import static io.twinbell.node.schedule.ScheduleFixtures.at;
import static io.twinbell.node.schedule.ScheduleFixtures.schedule;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.sun.management.ThreadMXBean;
import io.twinbell.node.engine.task.Schedule;
import io.twinbell.node.engine.task.ScheduleException;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a walk may cost. The times allow for a busy machine; the figures that matter are ten to a hundred times smaller. */
class CronCostTest {
    private static final long START = at("2026-01-01T00:00:00Z");

    @ParameterizedTest
    @ValueSource(strings = {"*/10 * * * *", "30 2 * * *", "0 0 9 ? * MON-FRI", "0 0 0 LW * ?", "0 0 0 29 2 ? 2096"})
    void a_walk_allocates_nothing(String expression) {
        Schedule schedule = schedule("cron", expression, "zone", "Europe/Berlin");
        walk(schedule, 1_000);
        long fewest = Long.MAX_VALUE;
        for (int round = 0; round < 5; round++) {
            fewest = Math.min(fewest, bytesOfWalk(schedule));
        }
        assertEquals(0, fewest, "bytes beyond those of asking");
    }

    /**
     * Returns the bytes that 10,000 steps allocate. The virtual machine adds a few in the moment in which it replaces
     * compiled code: it then builds the objects that the compiler had left out. So a single walk may show some.
     */
    private static long bytesOfWalk(Schedule schedule) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        long asked = threads.getCurrentThreadAllocatedBytes();
        walk(schedule, 10_000);
        long after = threads.getCurrentThreadAllocatedBytes();
        return (after - asked) - (asked - before);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0 0 0 29 2 ? 2096", "0 0 0 ? 2 FRI#5", "0 0 0 29 2 ? 2196", "0 0 0 31W 12 ? 2199"})
    void the_sparsest_expressions_are_walked_in_microseconds(String expression) {
        for (String zone : new String[] {"UTC", "Europe/Berlin", "Africa/Casablanca"}) {
            Schedule schedule = schedule("cron", expression, "zone", zone);
            ProcessorTime.assertBelow(Duration.ofSeconds(1), () -> walk(schedule, 10_000));
        }
    }

    @Test
    void a_schedule_that_never_fires_is_refused_in_microseconds() {
        ProcessorTime.assertBelow(Duration.ofSeconds(1), () -> {
            for (int i = 0; i < 1_000; i++) {
                assertThrows(
                        ScheduleException.class,
                        () -> schedule("cron", "0 0 0 31 * MON#1", "dialect", "SPRING", "zone", "Europe/Berlin"));
            }
        });
    }

    private static void walk(Schedule schedule, int steps) {
        long time = START;
        for (int i = 0; i < steps; i++) {
            schedule.next(time);
            schedule.previous(time);
            time += 59_999_999_999L;
            time = time > Window.LATEST ? START : time;
        }
    }
}
