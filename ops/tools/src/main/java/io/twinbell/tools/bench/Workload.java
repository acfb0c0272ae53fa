package io.twinbell.tools.bench;

import io.twinbell.tools.client.NodeException;
import java.io.IOException;

/** Something that can be measured. */
public interface Workload {
    /** What it is, with its sizes. */
    String title();

    /**
     * Does it on the site, whose app is empty.
     *
     * @return the span of fire times that it used
     */
    Span run(BenchSite site, BenchResults results) throws NodeException, BenchException, IOException;

    /** Both ends included; milliseconds since 1970 UTC. */
    record Span(long fromMillis, long untilMillis) {
        static Span of(BenchPlan plan) {
            return new Span(plan.firstMillis(), plan.lastMillis());
        }
    }
}
