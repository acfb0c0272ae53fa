package io.twinbell.ha.role;

import io.twinbell.persistence.epoch.Epoch;
import java.time.Duration;

/** The work that a node starts when it becomes master and stops when it gives up the role. The node implements it. */
public interface MasterDuties {
    /** Begins to fire under {@code epoch}; returns when the first page of the task heap is read. */
    void take(Epoch epoch, Predecessor predecessor);

    /** Stops claiming under {@code epoch}; returns when no claim is in flight. */
    void stopClaiming(Epoch epoch);

    /**
     * Returns the executions that were claimed under {@code epoch} and have not started, except those that fire within
     * {@code kept} from now. They still start here, while this node's authority is fresh.
     *
     * @throws io.twinbell.persistence.database.DatabaseUnavailableException if the database does not answer; what could
     *     not be returned does not start here either
     */
    void handBack(Epoch epoch, Duration kept);

    /** Whether no handler of {@code epoch} is running and every outcome is recorded. */
    boolean isFinished(Epoch epoch);

    /** Interrupts the handlers of {@code epoch} that are still running. */
    void interrupt(Epoch epoch);
}
