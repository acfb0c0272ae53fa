package io.twinbell.node.engine.settle;

import io.twinbell.node.engine.claim.ClaimedRuns;
import io.twinbell.node.engine.run.Run;
import io.twinbell.node.engine.run.RunRegistry;
import io.twinbell.node.engine.worker.RunExecutor;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.callback.AdoptedAttempt;
import io.twinbell.persistence.ledger.callback.CallbackStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes over the parked attempts of earlier masters: from then on they are runs of this node. */
final class CallbackAdoption {
    private static final Logger LOG = LoggerFactory.getLogger(CallbackAdoption.class);
    private static final int BATCH = 500;

    private final CallbackStore store;
    private final RunRegistry registry;
    private final RunExecutor executor;
    private final ClaimedRuns claimedRuns;
    private final Runnable onAdopted;

    private volatile boolean isAdopting;

    CallbackAdoption(
            CallbackStore store,
            RunRegistry registry,
            RunExecutor executor,
            ClaimedRuns claimedRuns,
            Runnable onAdopted) {
        this.store = store;
        this.registry = registry;
        this.executor = executor;
        this.claimedRuns = claimedRuns;
        this.onAdopted = onAdopted;
    }

    /** Begins a new epoch: from now on the tasks with parked attempts of earlier masters count as running. */
    void begin(Epoch epoch) {
        registry.overlap().setTasksToAdopt(store.tasksToAdopt(epoch));
        isAdopting = true;
    }

    /** Makes the next calls of {@link #adopt} look for attempts again. */
    void repeat() {
        isAdopting = true;
    }

    /**
     * Adopts one batch, if there may be any; returns whether there may be more. This starts nothing, so it need not wait
     * for the end of the earlier master.
     */
    boolean adopt(Epoch epoch) {
        if (!isAdopting) {
            return false;
        }
        int generation = claimedRuns.generation();
        List<AdoptedAttempt> adopted = store.adopt(epoch, BATCH);
        List<AdoptedAttempt> unheld = new ArrayList<>();
        for (AdoptedAttempt parked : adopted) {
            Run held = registry.find(parked.attempt().slot());
            if (held == null || !held.epoch().equals(epoch)) {
                if (held != null) {
                    executor.dropParked(held);
                }
                unheld.add(parked);
            }
        }
        if (!unheld.isEmpty()) {
            claimedRuns.adopt(epoch, unheld, generation);
            LOG.info("{} executions of earlier masters still wait for their receivers", unheld.size());
            onAdopted.run();
        }
        if (adopted.size() < BATCH) {
            isAdopting = false;
            registry.overlap().setTasksToAdopt(Set.of());
        }
        return isAdopting;
    }
}
