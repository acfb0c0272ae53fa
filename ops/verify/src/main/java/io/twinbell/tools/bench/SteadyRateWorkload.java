package io.twinbell.tools.bench;

import io.twinbell.tools.client.NodeException;
import java.io.IOException;

/**
 * Measures the lateness of one-shots at a steady rate, created in advance.
 *
 * @param perSecond the number of one-shots a second
 * @param seconds how long they fire
 */
public record SteadyRateWorkload(int perSecond, int seconds) implements Workload {
    @Override
    public String title() {
        return "lateness at " + perSecond + " one-shots per second for " + seconds + " s";
    }

    @Override
    public Span run(BenchSite site, BenchResults results) throws NodeException, BenchException, IOException {
        int tasks = Math.multiplyExact(perSecond, seconds);
        BenchPlan plan = new BenchPlan.OneShots(TaskLoader.startFor(site, tasks, 0), tasks, perSecond);
        Measurement.of(site, plan, new TaskLoader(site, TaskLoader.noop()), results);
        return Span.of(plan);
    }
}
