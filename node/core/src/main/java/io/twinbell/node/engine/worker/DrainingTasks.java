package io.twinbell.node.engine.worker;

import io.twinbell.node.engine.run.Run;
import io.twinbell.node.engine.run.RunRegistry;
import io.twinbell.persistence.clock.DatabaseClock;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.ledger.Slot;
import io.twinbell.persistence.ledger.recovery.RecoveryStore;
import java.util.Set;

/**
 * The tasks of which a former master still starts or finishes a run. They are read with each settling pass, and again
 * before a run is refused because of them: a former master ends most runs within milliseconds.
 */
public final class DrainingTasks {
    private static final int RETRYING_LIMIT = 100_000;

    private final RecoveryStore recovery;
    private final RunRegistry registry;
    private final DatabaseClock clock;
    private long readMillis = Long.MIN_VALUE;

    public DrainingTasks(RecoveryStore recovery, RunRegistry registry, DatabaseClock clock) {
        this.recovery = recovery;
        this.registry = registry;
        this.clock = clock;
    }

    /**
     * Reads the tasks, and counts them as running from now on. A slot that waits for its next attempt counts as
     * unfinished, also if another master recorded it. These slots are read later and noted first: a run that ends in
     * between, and will be retried, is known as one or the other the whole time.
     */
    public synchronized Set<Long> read() {
        long beganMillis = clock.nowMillis();
        Set<Long> tasks = recovery.tasksThatDrain();
        Set<Slot> known = registry.overlap().retrying();
        registry.overlap().replaceRetrying(known, recovery.retrying(RETRYING_LIMIT), registry::contains);
        registry.overlap().setRunningElsewhere(tasks);
        readMillis = beganMillis;
        return tasks;
    }

    /** Runs the statements without effect. */
    public void warmUp() {
        recovery.tasksThatDrain();
        recovery.retrying(RETRYING_LIMIT);
    }

    /**
     * Whether the run's task counted as running at a former master but no longer does. One read serves all runs that
     * were due before it. If the database does not answer, the task still counts.
     */
    boolean hasEnded(Run run) {
        return registry.overlap().runsElsewhere(run.slot().taskId()) && hasEndedSince(run);
    }

    private synchronized boolean hasEndedSince(Run run) {
        if (readMillis < run.slot().fireTimeMillis()) {
            try {
                read();
            } catch (DatabaseUnavailableException e) {
                // The runs that wait for this read would wait for the database in turn.
                readMillis = clock.nowMillis();
                return false;
            }
        }
        return !registry.overlap().runsElsewhere(run.slot().taskId());
    }
}
