package io.twinbell.node.engine.settle;

import io.twinbell.node.engine.run.RunRegistry;
import io.twinbell.node.engine.worker.ReplacedExecutions;
import io.twinbell.node.engine.worker.RunExecutor;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.Slot;
import io.twinbell.persistence.ledger.recovery.CancelRequest;
import io.twinbell.persistence.ledger.recovery.RecoveryStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Cancels executions on request: interrupts those that run here, and ends those that wait in the ledger. */
public final class Canceller {
    /** A request stays until its execution has ended, because another node may still be draining it. */
    public static final Duration AGAIN = Duration.ofMillis(100);

    private static final int BATCH = 500;

    private final RecoveryStore recovery;
    private final RunRegistry registry;
    private final RunExecutor executor;
    private final ReplacedExecutions replaced;

    public Canceller(RecoveryStore recovery, RunRegistry registry, RunExecutor executor, ReplacedExecutions replaced) {
        this.recovery = recovery;
        this.registry = registry;
        this.executor = executor;
        this.replaced = replaced;
    }

    /** Does one pass; returns whether there were any requests. */
    public boolean step(Epoch epoch) {
        List<CancelRequest> requests = new ArrayList<>(recovery.cancelRequests(BATCH));
        for (CancelRequest own = replaced.poll(); own != null; own = replaced.poll()) {
            requests.add(own);
        }
        if (requests.isEmpty()) {
            return false;
        }
        for (CancelRequest request : requests) {
            registry.of(request.slot().taskId()).stream()
                    .filter(run -> run.slot().equals(request.slot()))
                    .forEach(run -> executor.cancel(run, request.reason()));
        }
        for (Slot cancelled : recovery.cancelWaiting(epoch, requests)) {
            registry.overlap().dropRetry(cancelled);
        }
        return true;
    }
}
