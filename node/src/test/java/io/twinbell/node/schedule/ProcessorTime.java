package io.twinbell.node.schedule;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.management.ManagementFactory;
import java.time.Duration;

/** What a step costs the processor, however busy the machine is. */
final class ProcessorTime {
    private ProcessorTime() {}

    static void assertBelow(Duration bound, Runnable step) {
        long before = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
        step.run();
        Duration taken = Duration.ofNanos(ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - before);
        assertTrue(taken.compareTo(bound) < 0, () -> "took " + taken + " of processor time, and may take " + bound);
    }
}
