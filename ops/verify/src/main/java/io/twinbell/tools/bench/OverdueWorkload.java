package io.twinbell.tools.bench;

import io.twinbell.tools.client.NodeException;
import java.io.IOException;

/**
 * Measures how fast many tasks that have long been due are completed, as after an outage: each has an instant of its own,
 * and the master could not read them in advance.
 *
 * @param tasks the number of tasks, a millisecond apart
 */
public record OverdueWorkload(int tasks) implements Workload {
    private static final int PER_SECOND = 1000;
    private static final long OVERDUE_MILLIS = 60_000;

    @Override
    public String title() {
        return "drain of " + tasks + " overdue one-shots, a millisecond apart";
    }

    @Override
    public Span run(BenchSite site, BenchResults results) throws NodeException, BenchException, IOException {
        if (site.database().isEmpty()) {
            results.note("the time of storing the tasks over HTTP is included; with --database it is not");
        }
        long last = site.nowMillis() + site.aheadMillis() - OVERDUE_MILLIS;
        BenchPlan.OneShots plan = new BenchPlan.OneShots(last - tasks, tasks, PER_SECOND);
        Measurement.Result result = Measurement.ofOverdue(site, plan, new TaskLoader(site, TaskLoader.noop()), results);
        results.add("durable", "all outcomes were durable after", result.durableMillis(), "ms");
        results.add("drained", "drained", result.check().succeeded() * 1000.0 / result.durableMillis(), "tasks/s");
        return Span.of(plan);
    }
}
