package io.twinbell.ha.role;

import io.twinbell.persistence.epoch.Epoch;

/** What a master does besides being one. The node fills it in. */
public interface MasterDuties {
    /** Begins to fire under {@code epoch}; returns when the first page of the heap is in. */
    void take(Epoch epoch, Predecessor predecessor);

    /** Claims nothing more under {@code epoch}; returns when no claim is in flight. */
    void stopClaiming(Epoch epoch);

    /** Gives back what was claimed under {@code epoch} and has not started. */
    void handBack(Epoch epoch);

    /** Whether no handler of {@code epoch} runs and every outcome is recorded. */
    boolean isFinished(Epoch epoch);

    /** Interrupts the handlers of {@code epoch} that still run. */
    void interrupt(Epoch epoch);
}
