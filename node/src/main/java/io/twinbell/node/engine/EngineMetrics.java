package io.twinbell.node.engine;

import com.codahale.metrics.Counter;
import com.codahale.metrics.MetricRegistry;
import com.codahale.metrics.Timer;
import io.twinbell.persistence.ledger.ExecutionState;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/** What the engine counts. */
public final class EngineMetrics {
    private final MetricRegistry registry;
    private final Timer lateness;
    private final Timer duration;
    private final Counter claimed;
    private final Counter missed;
    private final Counter skipped;
    private final Counter heapMisses;
    private final Counter fencedWrites;
    private final FirstFire firstFire = new FirstFire();
    private volatile int waitingForLimits;

    public EngineMetrics(MetricRegistry registry) {
        this.registry = registry;
        lateness = registry.timer("lateness");
        duration = registry.timer("duration");
        claimed = registry.counter("claimed");
        missed = registry.counter("missed_slots");
        skipped = registry.counter("skipped_slots");
        heapMisses = registry.counter("heap_misses");
        registry.gauge("tasks_waiting_for_limits", () -> () -> waitingForLimits);
        fencedWrites = registry.counter("fenced_writes");
    }

    public FirstFire firstFire() {
        return firstFire;
    }

    void ended(Run run, ExecutionState state, long endedMillis) {
        registry.counter("executions." + state.name().toLowerCase(Locale.ROOT)).inc();
        if (run.startedMillis() != Long.MAX_VALUE && state != ExecutionState.SKIPPED) {
            lateness.update(run.startedMillis() - run.slot().fireTimeMillis(), TimeUnit.MILLISECONDS);
            duration.update(endedMillis - run.startedMillis(), TimeUnit.MILLISECONDS);
        }
    }

    void waitForLimits(int tasks) {
        waitingForLimits = tasks;
    }

    void claimed(int runs) {
        claimed.inc(runs);
    }

    void missed(long slots) {
        missed.inc(slots);
    }

    void skipped(long slots) {
        skipped.inc(slots);
    }

    /** Overdue rows that the heap lacked: stays zero unless a notification was lost. */
    void heapMiss() {
        heapMisses.inc();
    }

    void fenced(int writes) {
        fencedWrites.inc(writes);
    }

    public long fencedWrites() {
        return fencedWrites.getCount();
    }
}
