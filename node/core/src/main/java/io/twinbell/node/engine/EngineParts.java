package io.twinbell.node.engine;

import io.twinbell.node.engine.handler.HandlerRunner;
import io.twinbell.node.engine.run.EngineMetrics;
import io.twinbell.node.engine.step.EngineClocks;
import io.twinbell.node.engine.task.TaskCompiler;

/**
 * Assembles the engine's parts. Tests and the simulation assemble them in the same way, with a {@link ThreadModel} and
 * ports of their own, and step them by hand.
 */
final class EngineParts {
    final SharedState shared;
    final RunningParts running;
    final ClaimingParts claiming;
    final SettlingParts settling;
    final EngineThreads threads;
    final TaskCompiler compiler;
    final LagMeter lag;

    EngineParts(
            Engine.Ports ports,
            Engine.Bounds bounds,
            EngineClocks clocks,
            HandlerRunner handlers,
            EngineMetrics metrics,
            Engine.Listener listener,
            ThreadModel model) {
        shared = new SharedState(bounds, clocks, metrics, listener, model.deadlines());
        running = new RunningParts(shared, ports, model.workers(bounds.workers()), handlers);
        claiming = new ClaimingParts(shared, ports, running.outcomes, bounds.retention());
        settling = new SettlingParts(shared, ports, running, claiming);
        threads = new EngineThreads(shared, running, claiming, settling.parkedAttempts, model);
        compiler = ports.compiler();
        lag = new LagMeter(
                running.trigger,
                shared.due,
                claiming.claimer::waitingSince,
                shared.inFlight,
                running.workers,
                shared.lookAhead,
                clocks.measured());
    }
}
