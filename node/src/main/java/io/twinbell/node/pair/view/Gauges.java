package io.twinbell.node.pair.view;

import com.codahale.metrics.Counter;
import com.codahale.metrics.MetricRegistry;
import io.twinbell.ha.takeover.OwnerVerdict;
import io.twinbell.node.engine.Engine;
import io.twinbell.node.execution.StuckDetector;
import io.twinbell.node.handler.Handlers;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Consumer;

/** Registers the metrics about the role, the queues and the handlers, with the same values as the MBeans. */
public final class Gauges {
    private Gauges() {}

    /** Counts the verdicts on masters whose lock became free. */
    public static Consumer<OwnerVerdict> verdicts(MetricRegistry registry) {
        Map<OwnerVerdict, Counter> counters = new EnumMap<>(OwnerVerdict.class);
        for (OwnerVerdict verdict : List.of(OwnerVerdict.ALIVE, OwnerVerdict.DEAD, OwnerVerdict.LOST)) {
            counters.put(
                    verdict,
                    registry.counter("takeover_verdicts." + verdict.name().toLowerCase(Locale.ROOT)));
        }
        return verdict -> counters.get(verdict).inc();
    }

    public static void register(
            MetricRegistry registry, NodeState state, Engine engine, StuckDetector stuck, Handlers handlers) {
        handlers.registerGauges(registry);
        registry.gauge("leader", () -> () -> state.isMaster() ? 1 : 0);
        registry.gauge("epoch", () -> state::epoch);
        registry.gauge("role_transitions", () -> () -> state.roles().last().count());
        registry.gauge("database_reached", () -> () -> state.healthProbe().isReached() ? 1 : 0);
        registry.gauge("zookeeper_reached", () -> () -> state.zooKeeper().isConnected() ? 1 : 0);
        registry.gauge("database_lock_held", () -> () -> state.takeover().isLockHeld() ? 1 : 0);
        registry.gauge(
                "fast_takeover_armed", () -> () -> state.takeover().obstacle().isEmpty() ? 1 : 0);
        registry.gauge("takeover_on_hold", () -> () -> state.hold().isOn() ? 1 : 0);
        registry.gauge(
                "takeover_held_back", () -> () -> state.leadership().heldBack().isPresent() ? 1 : 0);
        registry.gauge("firing_paused", () -> () -> engine.isPaused() ? 1 : 0);
        registry.gauge("standing_pauses", () -> () -> engine.standingPauses().size());
        registry.gauge("standby_present", () -> () -> state.isStandbyPresent() ? 1 : 0);
        FiringSignal firing = new FiringSignal(state, engine);
        registry.gauge(
                "failover_ready",
                () -> () -> state.isFailoverReady() && firing.obstacles().isEmpty() ? 1 : 0);
        registry.gauge("heap_head_lag_millis", () -> firing::lagMillis);
        registry.gauge("unrecorded_millis", () -> firing::unrecordedMillis);
        registry.gauge("firing_stalled", () -> () -> firing.obstacles().isEmpty() ? 0 : 1);
        registry.gauge("transition_millis", () -> () -> state.roles().last().tookMillis());
        registry.gauge("heartbeat_age_millis", () -> () -> known(state.heartbeatAgeMillis()));
        registry.gauge("clock_offset_millis", () -> () -> state.clock().aheadOfWallMillis());
        registry.gauge(
                "zookeeper_session_timeout_millis",
                () -> () -> state.zooKeeper().negotiatedTimeoutMillis());
        registry.gauge(
                "zookeeper_session_timeout_asked_millis",
                () -> () -> state.zooKeeper().askedTimeoutMillis());
        registry.gauge("version", () -> () -> Version.CURRENT);
        registerEngine(registry, engine);
        registry.gauge(
                "stuck_executions", () -> () -> stuck.stuckReport().stuck().size());
        registry.gauge("tasks_in_error", () -> stuck::tasksInError);
    }

    private static void registerEngine(MetricRegistry registry, Engine engine) {
        registry.gauge("heap_size", () -> engine::heapSize);
        registry.gauge("action_queue_depth", () -> engine::actionDepth);
        registry.gauge("workers_active", () -> engine.workers()::active);
        registry.gauge("workers_abandoned", () -> engine.workers()::abandoned);
        registry.gauge("runs_in_flight", () -> engine::runsInFlight);
        registry.gauge("runs_parked", () -> engine::parkedRuns);
        registry.gauge("rebuild_millis", () -> () -> known(engine.lastRebuildMillis()));
        registry.gauge("action_queue_capacity", () -> engine::actionCapacity);
        registry.gauge("workers", () -> engine.workers()::size);
        registry.gauge("workers_queued", () -> engine.workers()::queued);
    }

    /** An unknown value becomes null, so that a scraper finds no sample. */
    private static Long known(long millis) {
        return millis < 0 ? null : millis;
    }
}
