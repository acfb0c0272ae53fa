package io.twinbell.ops.bench;

import io.twinbell.ops.client.NodeException;
import java.io.IOException;

/**
 * How fast many tasks that are due at one instant get done, by a handler that does nothing.
 *
 * @param tasks how many
 */
public record Drain(int tasks) implements Workload {
    @Override
    public String title() {
        return "drain of " + tasks + " one-shots that are due at the same instant";
    }

    @Override
    public Span run(Site site, Figures figures) throws NodeException, BenchException, IOException {
        Plan plan = new Plan.OneShots(Filling.startFor(site, tasks, 0), tasks, 0);
        Measurement.Result result = Measurement.of(site, plan, new Filling(site, Filling.noop()), figures);
        long handled = result.tally().lastEndMillis() - plan.firstMillis();
        figures.add("the last handler ended after", handled, "ms");
        figures.add("all outcomes were durable after", result.durableMillis(), "ms");
        figures.add("drained", result.tally().succeeded() * 1000.0 / result.durableMillis(), "tasks/s");
        return Span.of(plan);
    }
}
