package io.twinbell.ops.bench;

import io.twinbell.ops.client.NodeException;
import java.io.IOException;

/**
 * How late one-shots start at a steady rate, planned in advance.
 *
 * @param perSecond how many a second
 * @param seconds for how long
 */
public record SteadyRate(int perSecond, int seconds) implements Workload {
    @Override
    public String title() {
        return "lateness at " + perSecond + " one-shots a second for " + seconds + " s";
    }

    @Override
    public Span run(Site site, Figures figures) throws NodeException, BenchException, IOException {
        int tasks = Math.multiplyExact(perSecond, seconds);
        Plan plan = new Plan.OneShots(Filling.startFor(site, tasks, 0), tasks, perSecond);
        Measurement.of(site, plan, new Filling(site, Filling.noop()), figures);
        return Span.of(plan);
    }
}
