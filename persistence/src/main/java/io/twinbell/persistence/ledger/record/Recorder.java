package io.twinbell.persistence.ledger.record;

import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.Completion;
import java.util.List;

/** Makes outcomes durable in the ledger. */
public interface Recorder {
    /**
     * Records completions of one epoch. Recording the same completion again changes nothing.
     *
     * @return the completions that were refused because the epoch may no longer write; empty if it may
     */
    List<Completion> record(Epoch epoch, List<Completion> completions);

    /**
     * A recorder with short time limits for locks and statements, for completions of which some may never be recorded.
     */
    default Recorder hurried() {
        return this;
    }

    /**
     * Warms up the statement that {@link #record} uses for bursts, with a completion under an epoch that does not
     * exist.
     */
    default void recordNothing(Completion nothing) {}

    /**
     * Makes claimed executions wait in the ledger as PENDING, or records them as SKIPPED if too many wait already.
     *
     * @return false if the epoch may no longer write
     */
    boolean queue(Epoch epoch, List<OverlapQueue> queueing);

    /**
     * Makes claimed executions wait in the ledger as PENDING until there is room under a limit.
     *
     * @return false if the epoch may no longer write
     */
    boolean recordWaits(Epoch epoch, List<LedgerWait> held);

    /** Adds a note with the late outcome to executions of a superseded epoch; their state stays. */
    void note(List<Completion> late);
}
