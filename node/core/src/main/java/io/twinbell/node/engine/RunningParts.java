package io.twinbell.node.engine;

import io.twinbell.node.engine.handler.HandlerRunner;
import io.twinbell.node.engine.trigger.Trigger;
import io.twinbell.node.engine.worker.DrainingTasks;
import io.twinbell.node.engine.worker.OutcomeRecorder;
import io.twinbell.node.engine.worker.RunExecutor;
import io.twinbell.node.engine.worker.StartCheck;
import io.twinbell.node.engine.worker.Workers;

/** The parts that take a claimed run from its fire time to its recorded outcome. */
final class RunningParts {
    final Workers workers;
    final Trigger trigger;
    final StartCheck startCheck;
    final DrainingTasks drainingTasks;
    final OutcomeRecorder outcomes;
    final RunExecutor executor;

    RunningParts(SharedState shared, Engine.Ports ports, Workers workers, HandlerRunner handlers) {
        this.workers = workers;
        trigger = new Trigger(
                shared.actions, shared.due, shared.signals, shared.lookAhead, workers, shared.metrics::heapMiss);
        startCheck = new StartCheck(shared.trust, ports.startCheckRegister(), shared.superseded, ports.claimCheck());
        drainingTasks = new DrainingTasks(ports.startRecovery(), shared.inFlight, shared.clocks.database());
        outcomes = new OutcomeRecorder(
                new OutcomeRecorder.Ports(ports.recorder(), ports.reports(), ports.claimCheck()),
                shared.inFlight,
                shared.clocks.database(),
                shared.superseded,
                shared.metrics,
                shared.signals,
                shared.readRequests);
        executor = new RunExecutor(
                startCheck,
                drainingTasks,
                shared.inFlight,
                handlers,
                workers,
                new RunExecutor.Queues(outcomes, shared.actions, shared.readRequests, shared.replaced, shared.parked),
                new RunExecutor.RunClocks(shared.clocks.database(), shared.deadlines),
                shared.firstFire);
    }
}
