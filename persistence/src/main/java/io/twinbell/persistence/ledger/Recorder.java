package io.twinbell.persistence.ledger;

import io.twinbell.persistence.epoch.Epoch;
import java.util.List;

/** Where outcomes are made durable. */
public interface Recorder {
    /**
     * Records completions of one epoch. Saying the same again changes nothing.
     *
     * @return the slots that were refused because the epoch may not write any more; empty if it may
     */
    List<Completion> record(Epoch epoch, List<Completion> completions);

    /** One that waits a moment at most for locks and answers: for outcomes of which some may never be recorded. */
    default Recorder hurried() {
        return this;
    }

    /** Prepares what {@link #record} has for crowds alone, with an outcome under an epoch that is nobody's. */
    default void recordInVain(Completion nothing) {}

    /**
     * Has claims wait in the ledger, PENDING, or records them as SKIPPED if too many wait already.
     *
     * @return false if the epoch may not write any more
     */
    boolean queue(Epoch epoch, List<OverlapQueue> queueing);

    /**
     * Has claims wait in the ledger, PENDING, until there is room under a limit.
     *
     * @return false if the epoch may not write any more
     */
    boolean hold(Epoch epoch, List<HeldByLimit> held);

    /** Adds to executions of a superseded epoch what became of them after all; their state stays. */
    void note(List<Completion> late);
}
