package io.twinbell.node.engine;

import io.twinbell.node.engine.settle.ParkedAttempts;
import io.twinbell.node.engine.step.BatchWindow;
import io.twinbell.node.engine.step.EngineClocks;
import io.twinbell.node.engine.step.Stepper;
import io.twinbell.node.loop.Loops;

/** The threads around the steps of the engine's parts, besides the workers. */
final class EngineThreads {
    final Stepper trigger;
    final Stepper claimer;
    final Stepper recorder;
    /** Reads which runs started before this epoch, for rate limits. */
    final Stepper limitHistory;

    final Stepper readAhead;
    /** Parks runs, and applies the answers to parked runs. */
    final Stepper parked;

    EngineThreads(
            SharedState shared,
            RunningParts running,
            ClaimingParts claiming,
            ParkedAttempts parkedAttempts,
            ThreadModel model) {
        Loops loops = shared.metrics.loops();
        EngineClocks clocks = shared.clocks;
        BatchWindow records = new BatchWindow(running.outcomes::step, running.outcomes::isFull, clocks.monotonic());
        claimer = model.stepper(loops.loop("claimer"), claiming.claimer::step);
        trigger = model.stepper(
                loops.loop("trigger"),
                () -> running.trigger.step(clocks.database().nowNanos()));
        recorder = model.stepper(loops.loop("recorder"), records::step);
        limitHistory = model.stepper(loops.loop("limited-starts"), claiming.limits::readLimits);
        parked = model.stepper(loops.loop("parked"), parkedAttempts::step);
        readAhead = model.stepper(loops.loop("read-ahead"), claiming.readAhead::step);
    }
}
