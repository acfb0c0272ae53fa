package io.twinbell.node.engine.settle;

import io.twinbell.node.engine.run.Run;
import io.twinbell.node.engine.run.RunRegistry;
import io.twinbell.node.engine.worker.RunExecutor;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.Slot;
import io.twinbell.persistence.ledger.recovery.RecoveryStore;
import io.twinbell.persistence.ledger.recovery.ReleaseRequest;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Releases executions on request: removes their runs from this process, and returns them to be settled. */
public final class ReleaseHandler {
    private static final Logger LOG = LoggerFactory.getLogger(ReleaseHandler.class);

    private final RecoveryStore recovery;
    private final RunRegistry registry;
    private final RunExecutor executor;

    public ReleaseHandler(RecoveryStore recovery, RunRegistry registry, RunExecutor executor) {
        this.recovery = recovery;
        this.registry = registry;
        this.executor = executor;
    }

    /** Returns the requests whose attempts are no longer held, to be settled like orphans. */
    public List<ReleaseRequest> step(Epoch epoch) {
        List<ReleaseRequest> released = new ArrayList<>();
        for (ReleaseRequest request : recovery.takeReleaseRequests(epoch, Settler.BATCH)) {
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
