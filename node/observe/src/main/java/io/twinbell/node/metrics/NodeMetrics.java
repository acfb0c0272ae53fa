package io.twinbell.node.metrics;

import com.codahale.metrics.Counter;
import com.codahale.metrics.MetricRegistry;
import com.codahale.metrics.Timer;
import io.twinbell.node.engine.decision.SlotDecision;
import io.twinbell.node.engine.run.EngineMetrics;
import io.twinbell.node.engine.run.Run;
import io.twinbell.node.loop.Loop;
import io.twinbell.node.loop.Loops;
import io.twinbell.persistence.clock.Ticker;
import io.twinbell.persistence.ledger.Completion;
import io.twinbell.persistence.ledger.ExecutionState;
import io.twinbell.persistence.ledger.LedgerEntry;
import io.twinbell.persistence.ledger.recovery.Settlement;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;

/** The metrics of a node's engine: its counters, timers and loops. */
public final class NodeMetrics implements EngineMetrics {
    private final Map<ExecutionState, Counter> ended = new EnumMap<>(ExecutionState.class);
    private final Buckets.BucketTimer lateness;
    private final Timer duration;
    private final Counter claimed;
    private final Counter misfired;
    private final Counter expired;
    private final Counter tooOld;
    private final Counter paused;
    private final Counter zoneRules;
    private final Counter rerunOrphans;
    private final Counter droppedOrphans;
    private final Counter failedOrphans;
    private final Counter heapMisses;
    private final Counter fencedWrites;
    private final AppMetrics apps;
    private final Loops loops;
    private final MetricRegistry registry;
    private volatile int waitingForLimits;

    public NodeMetrics(MetricRegistry registry) {
        this(registry, Ticker.SYSTEM);
    }

    /** @param ticker measures the age of failures, and when they are retried */
    public NodeMetrics(MetricRegistry registry, Ticker ticker) {
        this.registry = registry;
        apps = new AppMetrics(ticker::nanos);
        loops = new Loops(ticker, this::show);
        for (ExecutionState state : ExecutionState.values()) {
            if (state.isFinal()) {
                ended.put(state, registry.counter("executions." + state.name().toLowerCase(Locale.ROOT)));
            }
        }
        ended.put(ExecutionState.RETRYING, registry.counter("executions.snoozed"));
        lateness = (Buckets.BucketTimer) registry.timer("lateness", NodeMetrics::timer);
        duration = registry.timer("duration", NodeMetrics::timer);
        claimed = registry.counter("claimed");
        misfired = registry.counter("missed_slots.misfire");
        expired = registry.counter("missed_slots.expired");
        tooOld = registry.counter("missed_slots.retention");
        paused = registry.counter("skipped_slots.paused");
        zoneRules = registry.counter("skipped_slots.zone_rules");
        rerunOrphans = registry.counter("orphans.rerun");
        droppedOrphans = registry.counter("orphans.dropped");
        failedOrphans = registry.counter("orphans.failed");
        heapMisses = registry.counter("heap_misses");
        registry.gauge("tasks_waiting_for_limits", () -> () -> waitingForLimits);
        fencedWrites = registry.counter("fenced_writes");
    }

    private void show(Loop loop) {
        registry.gauge(
                "loop_stalled_millis." + loop.name(),
                () -> () -> TimeUnit.NANOSECONDS.toMillis(loop.state().stalledNanos()));
        registry.gauge("loop_set_aside." + loop.name(), () -> loop::itemsSetAside);
    }

    @Override
    public void countAppsAtQuota(IntSupplier number) {
        registry.gauge("apps_at_fire_quota", () -> number::getAsInt);
    }

    private static Timer timer() {
        return new Buckets.BucketTimer(Ticker.SYSTEM::nanos);
    }

    /** The metrics by app. */
    public AppMetrics apps() {
        return apps;
    }

    @Override
    public Loops loops() {
        return loops;
    }

    @Override
    public void ended(Run run, Completion completion) {
        ExecutionState state = completion.outcome();
        String app = run.attempt().app();
        ended.get(state).inc();
        if (state == ExecutionState.MISSED) {
            expired.inc();
            apps.missed(app, 1);
        }
        apps.ended(app, completion.attemptState());
        if (run.hasStarted() && state != ExecutionState.SKIPPED) {
            long took = completion.run().endedMicros() - run.startedMicros();
            duration.update(took, TimeUnit.MICROSECONDS);
            apps.took(app, took);
            // A later attempt waited for its backoff, too.
            if (run.attempt().attempt() == 1 && run.attempt().origin().hasDueStart()) {
                long late = run.startedMicros() - run.slot().fireTimeMillis() * 1000;
                lateness.update(late, TimeUnit.MICROSECONDS);
                apps.late(app, late);
            }
        }
    }

    @Override
    public void waitForLimits(int tasks) {
        waitingForLimits = tasks;
    }

    @Override
    public void claimed(int runs) {
        claimed.inc(runs);
    }

    @Override
    public void countWithoutRun(String app, LedgerEntry entry) {
        if (entry.state() != ExecutionState.DROPPED) {
            passedOverCounter(entry).inc(entry.slots());
        }
        if (entry.state() == ExecutionState.MISSED) {
            apps.missed(app, entry.slots());
        }
    }

    private Counter passedOverCounter(LedgerEntry entry) {
        if (entry.state() == ExecutionState.MISSED) {
            boolean isExpired = entry.reason().startsWith(SlotDecision.EXPIRED);
            return SlotDecision.TOO_OLD.equals(entry.reason()) ? tooOld : isExpired ? expired : misfired;
        }
        return SlotDecision.RULES_CHANGED.equals(entry.reason()) ? zoneRules : paused;
    }

    @Override
    public void settled(Settlement settlement) {
        Counter counter = settlement.isRerun()
                ? rerunOrphans
                : settlement.end() == ExecutionState.FAILED ? failedOrphans : droppedOrphans;
        counter.inc();
    }

    /** What the engine has done since the process started. */
    public EngineTotals totals() {
        return new EngineTotals(
                new EngineTotals.Counts(
                        claimed.getCount(),
                        sum(ended.get(ExecutionState.SUCCEEDED)),
                        sum(ended.get(ExecutionState.FAILED), ended.get(ExecutionState.TIMED_OUT), failedOrphans),
                        sum(ended.get(ExecutionState.CANCELLED)),
                        sum(
                                ended.get(ExecutionState.SKIPPED),
                                ended.get(ExecutionState.DROPPED),
                                misfired,
                                expired,
                                tooOld,
                                paused,
                                zoneRules,
                                droppedOrphans)),
                lateness.counts());
    }

    private static long sum(Counter... counters) {
        return Arrays.stream(counters).mapToLong(Counter::getCount).sum();
    }

    @Override
    public void heapMiss() {
        heapMisses.inc();
    }

    @Override
    public void fenced(int writes) {
        fencedWrites.inc(writes);
    }

    public long fencedWrites() {
        return fencedWrites.getCount();
    }
}
