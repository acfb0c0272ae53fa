package io.twinbell.tools.bench;

import io.twinbell.tools.client.NodeException;
import java.io.IOException;

/**
 * Measures how fast many tasks that are due at one instant are completed, with a handler that does nothing.
 *
 * @param tasks the number of tasks
 */
public record DrainWorkload(int tasks) implements Workload {
    @Override
    public String title() {
        return "drain of " + tasks + " one-shots due at the same instant";
    }

    @Override
    public Span run(BenchSite site, BenchResults results) throws NodeException, BenchException, IOException {
        BenchPlan plan = new BenchPlan.OneShots(TaskLoader.startFor(site, tasks, 0), tasks, 0);
        Measurement.Result result = Measurement.of(site, plan, new TaskLoader(site, TaskLoader.noop()), results);
        long handled = result.check().lastEndMillis() - plan.firstMillis();
        results.add("handled", "the last handler ended after", handled, "ms");
        results.add("durable", "all outcomes were durable after", result.durableMillis(), "ms");
        results.add("drained", "drained", result.check().succeeded() * 1000.0 / result.durableMillis(), "tasks/s");
        return Span.of(plan);
    }
}
