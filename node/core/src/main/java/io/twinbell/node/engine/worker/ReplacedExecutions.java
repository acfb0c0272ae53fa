package io.twinbell.node.engine.worker;

import io.twinbell.node.engine.step.EngineEvent;
import io.twinbell.node.loop.Signals;
import io.twinbell.persistence.ledger.recovery.RecoveryStore.CancelRequest;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Executions that wait in the ledger and are to be cancelled, because a newer slot of their task replaces them. Any
 * thread adds; the pass that settles takes.
 */
public final class ReplacedExecutions {
    private final Signals<EngineEvent> signals;
    private final Queue<CancelRequest> requests = new ConcurrentLinkedQueue<>();

    public ReplacedExecutions(Signals<EngineEvent> signals) {
        this.signals = signals;
    }

    void add(CancelRequest request) {
        requests.add(request);
        signals.raise(EngineEvent.EXECUTION_REPLACED);
    }

    /** The next request, or null if there is none. */
    public CancelRequest poll() {
        return requests.poll();
    }
}
