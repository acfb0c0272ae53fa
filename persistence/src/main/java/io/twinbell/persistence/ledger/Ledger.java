package io.twinbell.persistence.ledger;

import io.twinbell.persistence.epoch.Epoch;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The durable steps of a slot. Every method that takes an {@link Epoch} compares it with the database's in the statement
 * that writes; a superseded epoch changes nothing.
 */
public interface Ledger {
    /**
     * Enters each claim's row in the statement that advances its task; a batch takes one statement, or two. A locked task
     * row is passed over.
     */
    ClaimOutcome claim(Epoch epoch, long batch, List<Claim> claims);

    /**
     * After a claim's connection broke: ends the backend that may still be at it, and tells which tasks of the batch
     * were entered.
     */
    Set<Long> enteredInBatch(Epoch epoch, long batch, List<Claim> claims);

    /**
     * Makes PENDING and RETRYING rows that are due this epoch's claims; returns those that were. The attempt of a
     * RETRYING one is counted by it, before anything runs.
     */
    List<Attempt> claimWaiting(Epoch epoch, long batch, Due due, int limit);

    /** The same, where not all that is due can be claimed: so many of each app at most. */
    List<Attempt> claimWaiting(Epoch epoch, long batch, Due due, Map<String, Integer> mostByApp);

    /**
     * Apps that have rows waiting that are due, in the order of their names.
     *
     * @param after begins after this name
     */
    List<String> appsWaiting(Due due, String after, int limit);

    /**
     * What is due.
     *
     * @param nowMillis for rows that wait for an instant of their own
     * @param fireUntilMillis for all others by their fire time: a little ahead, as for planned slots
     */
    record Due(long nowMillis, long fireUntilMillis) {}

    /**
     * Settles waiting rows that were due when a primary was lost together with its master: each is dropped, or stays and
     * says that it may have run. A row is settled once.
     */
    SettledDoubts settleDoubts(Epoch epoch, int most);

    /**
     * Rows that may have run.
     *
     * @param dropped those that are not run again
     * @param isMore whether there may be others to settle
     */
    record SettledDoubts(Set<Slot> dropped, boolean isMore) {}

    /** The tasks with PENDING rows that are due and wait until nothing else of their task is unfinished. */
    Set<Long> tasksInTurn(long nowMillis);

    /** When the first row becomes due that is not yet; {@link Claim#NONE} if there is none. */
    long nextWaitingMillis(long afterMillis);

    /** After a broken claim of waiting rows: ends its backend, and tells which rows the batch made ours. */
    List<Attempt> claimedInBatch(Epoch epoch, long batch);

    /**
     * Lets rows that wait for room under the limit be claimed, the most urgent first.
     *
     * @return how many; fewer than {@code most} if there are no more
     */
    int letGo(Epoch epoch, String limitKey, int most);

    /** The limits that rows wait for. */
    Set<String> heldBy();

    /**
     * Puts a task whose definition cannot be read into state ERROR, with the reason.
     *
     * @return false if nothing was changed: somebody holds the row, or the version is another
     */
    boolean setAside(Epoch epoch, long taskId, long version, String reason);

    /** Gives claims that have not started back as PENDING; returns whether the epoch still may. */
    boolean handBack(Epoch epoch, List<Attempt> unstarted);
}
