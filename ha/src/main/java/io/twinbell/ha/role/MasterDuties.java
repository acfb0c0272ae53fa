package io.twinbell.ha.role;

import io.twinbell.persistence.epoch.Epoch;

/** The work that a node starts when it becomes master and stops when it gives up the role. The node implements it. */
public interface MasterDuties {
    /** Begins to fire under {@code epoch}; returns when the first page of the task heap is read. */
    void take(Epoch epoch, Predecessor predecessor);

    /** Stops claiming under {@code epoch}; returns when no claim is in flight. */
    void stopClaiming(Epoch epoch);

    /** Returns the executions that were claimed under {@code epoch} and have not started. */
    void handBack(Epoch epoch);

    /** Whether no handler of {@code epoch} is running and every outcome is recorded. */
    boolean isFinished(Epoch epoch);

    /** Interrupts the handlers of {@code epoch} that are still running. */
    void interrupt(Epoch epoch);
}
