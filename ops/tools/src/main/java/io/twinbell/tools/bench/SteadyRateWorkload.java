package io.twinbell.tools.bench;

import io.twinbell.tools.client.NodeException;
import java.io.IOException;

/**
 * How late one-shots start at a steady rate, planned in advance.
 *
 * @param perSecond how many a second
 * @param seconds for how long
 */
public record SteadyRateWorkload(int perSecond, int seconds) implements Workload {
    @Override
    public String title() {
        return "lateness at " + perSecond + " one-shots a second for " + seconds + " s";
    }

    @Override
    public Span run(BenchSite site, BenchResults results) throws NodeException, BenchException, IOException {
        int tasks = Math.multiplyExact(perSecond, seconds);
        BenchPlan plan = new BenchPlan.OneShots(TaskLoader.startFor(site, tasks, 0), tasks, perSecond);
        Measurement.of(site, plan, new TaskLoader(site, TaskLoader.noop()), results);
        return Span.of(plan);
    }
}
