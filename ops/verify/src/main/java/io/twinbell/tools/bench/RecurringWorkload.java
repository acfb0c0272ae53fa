package io.twinbell.tools.bench;

import io.twinbell.tools.client.NodeException;
import java.io.IOException;

/**
 * Measures the cost and the lateness of tasks that fire every second, half by cron and half by interval.
 *
 * @param tasks the number of tasks
 * @param seconds how long they fire
 */
public record RecurringWorkload(int tasks, int seconds) implements Workload {
    @Override
    public String title() {
        return tasks + " tasks every second for " + seconds + " s, half of them by cron";
    }

    @Override
    public Span run(BenchSite site, BenchResults results) throws NodeException, BenchException, IOException {
        BenchPlan plan = new BenchPlan.EverySecond(TaskLoader.startFor(site, 0, tasks), tasks, seconds);
        Measurement.Result result = Measurement.of(site, plan, new TaskLoader(site, TaskLoader.noop()), results);
        results.add("fired", "fired", result.check().succeeded() / (result.durableMillis() / 1000.0), "slots/s");
        results.note("cron tasks fire at the full second, interval tasks are spread evenly over it");
        return Span.of(plan);
    }
}
