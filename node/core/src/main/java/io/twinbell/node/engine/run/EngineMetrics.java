package io.twinbell.node.engine.run;

import io.twinbell.node.loop.Loops;
import io.twinbell.persistence.ledger.Completion;
import io.twinbell.persistence.ledger.LedgerEntry;
import io.twinbell.persistence.ledger.recovery.Settlement;
import java.util.function.IntSupplier;

/** What the engine reports of its work, to be counted. Called for every attempt, so each method returns at once. */
public interface EngineMetrics {
    /** The node's loops, with the time since each last made progress. */
    Loops loops();

    /** Sets what tells how many apps have used their quota of executions in the last minute. */
    void countAppsAtQuota(IntSupplier number);

    /** Reports the recorded end of an attempt. */
    void ended(Run run, Completion completion);

    /** Reports how many due tasks wait for a limit now. */
    void waitForLimits(int tasks);

    void claimed(int runs);

    /** Reports slots that were entered without a run. Slots in doubt are counted in the database. */
    void countWithoutRun(String app, LedgerEntry entry);

    void settled(Settlement settlement);

    /** Reports an overdue row that the heap lacked. There is none unless a notification was lost. */
    void heapMiss();

    /** Reports writes that the database refused because their epoch is superseded. */
    void fenced(int writes);
}
