package io.twinbell.ops.bench;

import io.twinbell.ops.client.NodeException;
import java.io.IOException;

/**
 * What tasks cost that fire every second, half of them by cron and half by an interval, and how late they start.
 *
 * @param tasks how many
 * @param seconds for how long
 */
public record Recurring(int tasks, int seconds) implements Workload {
    @Override
    public String title() {
        return tasks + " tasks every second for " + seconds + " s, every second one by cron";
    }

    @Override
    public Span run(Site site, Figures figures) throws NodeException, BenchException, IOException {
        Plan plan = new Plan.EverySecond(Filling.startFor(site, 0, tasks), tasks, seconds);
        Measurement.Result result = Measurement.of(site, plan, new Filling(site, Filling.noop()), figures);
        figures.add("fired", result.tally().succeeded() / (result.durableMillis() / 1000.0), "slots/s");
        figures.note("cron tasks all fire at the whole second, intervals lie evenly in it");
        return Span.of(plan);
    }
}
