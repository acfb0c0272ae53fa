package io.twinbell.node.engine.settle;

import io.twinbell.node.engine.run.Run;
import io.twinbell.node.engine.run.RunRegistry;
import io.twinbell.node.engine.worker.ReplacedExecutions;
import io.twinbell.node.engine.worker.RunExecutor;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.Slot;
import io.twinbell.persistence.ledger.recovery.RecoveryStore;
import io.twinbell.persistence.ledger.recovery.RecoveryStore.CancelRequest;
import io.twinbell.persistence.ledger.recovery.RecoveryStore.ReleaseRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Carries out requests to cancel or to release an execution. */
public final class ExecutionRequests {
    private static final Logger LOG = LoggerFactory.getLogger(ExecutionRequests.class);
    /** A cancel request stays until its execution has ended, because another node may still be draining it. */
    public static final Duration CANCEL_AGAIN = Duration.ofMillis(100);

    private static final int BATCH = 500;

    private final RecoveryStore recovery;
    private final RunRegistry registry;
    private final RunExecutor executor;
    private final ReplacedExecutions replaced;

    public ExecutionRequests(
            RecoveryStore recovery, RunRegistry registry, RunExecutor executor, ReplacedExecutions replaced) {
        this.recovery = recovery;
        this.registry = registry;
        this.executor = executor;
        this.replaced = replaced;
    }

    /**
     * Cancels executions: interrupts those that run here, and ends those that wait in the ledger. Returns whether there
     * were any requests.
     */
    public boolean cancel(Epoch epoch) {
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

    /** Removes the runs of executions to be released, and returns the requests, to be settled like orphans. */
    public List<ReleaseRequest> release(Epoch epoch) {
        List<ReleaseRequest> released = new ArrayList<>();
        for (ReleaseRequest request : recovery.takeReleaseRequests(epoch, BATCH)) {
            Slot slot = request.attempt().slot();
            Run run = registry.find(slot);
            if (run == null || executor.giveUp(run)) {
                LOG.info("released {}: {}", slot.idempotencyKey(), request.reason());
                released.add(request);
            }
        }
        return released;
    }
}
