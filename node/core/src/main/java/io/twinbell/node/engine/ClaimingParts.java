package io.twinbell.node.engine;

import io.twinbell.node.engine.claim.ClaimedRuns;
import io.twinbell.node.engine.claim.Claimer;
import io.twinbell.node.engine.claim.LimitSync;
import io.twinbell.node.engine.definition.HeapTableSync;
import io.twinbell.node.engine.definition.ReadAhead;
import io.twinbell.node.engine.step.EngineEvent;
import io.twinbell.node.engine.worker.OutcomeRecorder;
import io.twinbell.node.loop.Loops;
import java.time.Duration;

/** The parts that turn due tasks into claimed runs. */
final class ClaimingParts {
    final FiringPauseState pause;
    final ClaimedRuns claimedRuns;
    final LimitSync limits;
    final ReadAhead readAhead;
    final HeapTableSync table;
    final Claimer claimer;

    ClaimingParts(SharedState shared, Engine.Ports ports, OutcomeRecorder outcomes, Duration retention) {
        Loops loops = shared.metrics.loops();
        pause = new FiringPauseState(
                ports.pauses(),
                ports.doubt(),
                shared.clocks.database(),
                shared.deadlines,
                () -> shared.signals.raise(EngineEvent.PAUSE_ENDED));
        claimedRuns = new ClaimedRuns(
                shared.inFlight,
                shared.actions,
                outcomes,
                shared.metrics,
                ports.compiler(),
                shared.clocks.database(),
                ports.claimCheck());
        limits = new LimitSync(
                ports.limits(),
                shared.inFlight,
                shared.clocks.database(),
                loops.loop("limited-starts"),
                shared.signals);
        readAhead = new ReadAhead(ports.readAhead(), ports.compiler(), ReadAhead.PATIENCE, shared.signals);
        table = new HeapTableSync(
                ports.dueTasks(),
                shared.readRequests,
                shared.actions,
                shared.clocks.measured(),
                ports.compiler(),
                readAhead);
        claimer = new Claimer(
                ports.ledger(),
                new Claimer.ClaimSources(table, limits),
                shared.trust,
                claimedRuns,
                new Claimer.Lane(shared.due, shared.actions, shared.lookAhead, loops.loop("claimer")),
                () -> pause.world(retention),
                shared.superseded);
    }
}
