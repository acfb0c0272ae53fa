package io.twinbell.node.engine;

import io.twinbell.node.engine.settle.Canceller;
import io.twinbell.node.engine.settle.HandBack;
import io.twinbell.node.engine.settle.ParkedAttempts;
import io.twinbell.node.engine.settle.ReleaseHandler;
import io.twinbell.node.engine.settle.Settler;

/**
 * The parts that settle claims without running them: orphans, released and cancelled executions, and claims to hand
 * back.
 */
final class SettlingParts {
    final Settler settler;
    final ReleaseHandler releaseHandler;
    final Canceller canceller;
    final HandBack handBack;
    final ParkedAttempts parkedAttempts;

    SettlingParts(SharedState shared, Engine.Ports ports, RunningParts running, ClaimingParts claiming) {
        settler = new Settler(
                ports.recovery(),
                running.drainingTasks,
                ports.sqlArrivals(),
                shared.inFlight,
                claiming.claimedRuns,
                shared.clocks.measured(),
                shared.readRequests,
                new Settler.Claims(claiming.claimer::isInDoubt, claiming.pause::isPaused));
        releaseHandler = new ReleaseHandler(ports.recovery(), shared.inFlight, running.executor);
        canceller = new Canceller(ports.recovery(), shared.inFlight, running.executor, shared.replaced);
        parkedAttempts = new ParkedAttempts(
                ports.parked(),
                shared.parked,
                shared.inFlight,
                running.executor,
                claiming.claimedRuns,
                new ParkedAttempts.EngineHooks(
                        shared.superseded,
                        claiming.limits::changed,
                        taskId -> shared.readRequests.changed(taskId),
                        shared.clocks.monotonic()),
                shared.metrics.loops().loop("parked"));
        handBack = new HandBack(
                ports.ledger(), ports.claimCheck(), shared.inFlight, running.workers, shared.clocks.measured());
    }
}
