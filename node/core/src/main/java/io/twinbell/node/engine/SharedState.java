package io.twinbell.node.engine;

import io.twinbell.node.engine.run.Backpressure;
import io.twinbell.node.engine.run.EngineMetrics;
import io.twinbell.node.engine.run.FirstFire;
import io.twinbell.node.engine.run.InFlight;
import io.twinbell.node.engine.run.ReadRequests;
import io.twinbell.node.engine.step.Deadlines;
import io.twinbell.node.engine.step.EngineClocks;
import io.twinbell.node.engine.step.EngineEvent;
import io.twinbell.node.engine.step.SupersededListener;
import io.twinbell.node.engine.step.TrustWindow;
import io.twinbell.node.engine.trigger.ActionQueue;
import io.twinbell.node.engine.trigger.DueInbox;
import io.twinbell.node.engine.trigger.LookAhead;
import io.twinbell.node.engine.trigger.SystemTasks;
import io.twinbell.node.engine.worker.ParkedRuns;
import io.twinbell.node.engine.worker.ReplacedExecutions;
import io.twinbell.node.loop.Signals;

/**
 * The objects that the engine's parts share: events, the queues between threads, the registry of runs, clocks and
 * metrics. They are created before the parts, and each part gets those that it uses.
 */
final class SharedState {
    private static final int ACTION_CAPACITY = 10_000;

    final Signals<EngineEvent> signals = new Signals<>(EngineEvent.class);
    final ActionQueue actions = new ActionQueue(ACTION_CAPACITY, signals);
    final ReadRequests readRequests = new ReadRequests(signals);
    final ReplacedExecutions replaced = new ReplacedExecutions(signals);
    final ParkedRuns parked;
    final DueInbox due = new DueInbox();
    final EngineClocks clocks;
    final EngineMetrics metrics;
    final Backpressure backpressure;
    final InFlight inFlight;
    final LookAhead lookAhead;
    final TrustWindow trust;
    final SystemTasks systemTasks;
    final FirstFire firstFire;
    final SupersededListener superseded;
    final Deadlines deadlines;

    SharedState(
            Engine.Bounds bounds,
            EngineClocks clocks,
            EngineMetrics metrics,
            Engine.Listener listener,
            Deadlines deadlines) {
        this.clocks = clocks;
        this.metrics = metrics;
        this.deadlines = deadlines;
        backpressure = new Backpressure(bounds.workers(), clocks.monotonic());
        inFlight = new InFlight(
                InFlight.Bounds.of(bounds.maxInFlight(), bounds.firesPerMinute()), backpressure, readRequests);
        metrics.countAppsAtQuota(
                () -> inFlight.limits().appsAtQuota(clocks.database().nowMillis()));
        parked = new ParkedRuns(inFlight, signals);
        lookAhead = new LookAhead(clocks.monotonic(), inFlight::startableSoon);
        trust = new TrustWindow(clocks.monotonic(), clocks.uptime(), clocks.wall());
        systemTasks = new SystemTasks(actions, clocks.database(), metrics.loops());
        firstFire = new FirstFire(listener::firstFired);
        superseded = (epoch, writes) -> {
            metrics.fenced(writes);
            listener.superseded(epoch, writes);
        };
    }
}
