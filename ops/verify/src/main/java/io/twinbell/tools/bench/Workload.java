package io.twinbell.tools.bench;

import io.twinbell.tools.client.NodeException;
import java.io.IOException;

/** A workload that can be measured on a pair. */
public interface Workload {
    /** The workload's name with its sizes. */
    String title();

    /**
     * Runs the workload on the site, whose app is empty.
     *
     * @return the span of the fire times used
     */
    Span run(BenchSite site, BenchResults results) throws NodeException, BenchException, IOException;

    /** A span with both ends included; milliseconds since 1970 UTC. */
    record Span(long fromMillis, long untilMillis) {
        static Span of(BenchPlan plan) {
            return new Span(plan.firstMillis(), plan.lastMillis());
        }
    }

    /**
     * Measures how fast many tasks that are due at one instant are completed, with a handler that does nothing.
     *
     * @param tasks the number of tasks
     */
    record Drain(int tasks) implements Workload {
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

    /**
     * Measures how fast many tasks that have long been due are completed, as after an outage: each has an instant of its own,
     * and the master could not read them in advance.
     *
     * @param tasks the number of tasks, a millisecond apart
     */
    record Overdue(int tasks) implements Workload {
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
            Measurement.Result result =
                    Measurement.ofOverdue(site, plan, new TaskLoader(site, TaskLoader.noop()), results);
            results.add("durable", "all outcomes were durable after", result.durableMillis(), "ms");
            results.add("drained", "drained", result.check().succeeded() * 1000.0 / result.durableMillis(), "tasks/s");
            return Span.of(plan);
        }
    }

    /**
     * Measures the lateness of one-shots at a steady rate, created in advance.
     *
     * @param perSecond the number of one-shots a second
     * @param seconds how long they fire
     */
    record SteadyRate(int perSecond, int seconds) implements Workload {
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

    /**
     * Measures the cost and the lateness of tasks that fire every second, half by cron and half by interval.
     *
     * @param tasks the number of tasks
     * @param seconds how long they fire
     */
    record Recurring(int tasks, int seconds) implements Workload {
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
}
