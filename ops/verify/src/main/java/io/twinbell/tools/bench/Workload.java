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
}
