package io.twinbell.persistence.ledger.claim;

import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.Attempt;
import io.twinbell.persistence.ledger.Slot;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Claims slots durably, and releases or returns claims. Every method that takes an {@link Epoch} compares it with the
 * database's epoch in the statement that writes; a superseded epoch changes nothing.
 */
public interface Ledger {
    /**
     * Enters each claim and advances its task in the same statement. A batch takes a statement for each form of claim
     * in it: packed, simple and general. A packed claim has no row of its own until it is unpacked. A locked task row
     * is skipped.
     */
    ClaimOutcome claim(Epoch epoch, long batch, List<DecidedSlot> claims);

    /**
     * Looks up a claim whose connection broke: ends the backend that may still run it, and returns the tasks of the
     * batch whose rows were inserted.
     */
    Set<Long> enteredInBatch(Epoch epoch, long batch, List<DecidedSlot> claims);

    /**
     * Claims due PENDING and RETRYING rows for this epoch and returns them. The claim of a RETRYING row counts the new
     * attempt before anything runs.
     */
    List<Attempt> claimWaiting(Epoch epoch, long batch, DueBounds due, int limit);

    /** Claims at most the given number of rows of each app. Used when not all due rows can be claimed. */
    List<Attempt> claimWaiting(Epoch epoch, long batch, DueBounds due, Map<String, Integer> mostByApp);

    /**
     * The apps with due waiting rows, in the order of their names.
     *
     * @param after only names after this one
     */
    List<String> appsWaiting(DueBounds due, String after, int limit);

    /**
     * The instants up to which rows are due.
     *
     * @param nowMillis for rows with a due time of their own
     * @param fireUntilMillis for all other rows, by fire time: slightly in the future, as for planned slots
     */
    record DueBounds(long nowMillis, long fireUntilMillis) {}

    /**
     * Settles waiting rows that were due when a primary was lost together with its master: each is dropped, or stays
     * with the reason that it may have run. A row is settled once.
     */
    SettledDoubts settleDoubts(Epoch epoch, int most);

    /**
     * Settled rows that may have run.
     *
     * @param dropped the slots that do not run again
     * @param isMore whether there may be more rows to settle
     */
    record SettledDoubts(Set<Slot> dropped, boolean isMore) {}

    /** The tasks with due PENDING rows that wait until no other execution of their task is unfinished. */
    Set<Long> tasksInTurn(long nowMillis);

    /** The earliest due time after {@code afterMillis}; {@link DecidedSlot#NONE} if there is none. */
    long nextWaitingMillis(long afterMillis);

    /**
     * Looks up a claim of waiting rows whose connection broke: ends its backend, and returns the rows that the batch
     * claimed.
     */
    List<Attempt> claimedInBatch(Epoch epoch, long batch);

    /**
     * Releases executions that wait for the limit, the most urgent first, so that they can be claimed.
     *
     * @return how many; fewer than {@code most} if there are no more
     */
    int releaseWaiting(Epoch epoch, String limitKey, int most);

    /** The keys of the limits that executions wait for. */
    Set<String> waitedLimits();

    /**
     * Puts a task whose definition cannot be read into state ERROR, with the reason.
     *
     * @return false if nothing was changed, because another transaction holds the row or the version differs
     */
    boolean markUnreadable(Epoch epoch, long taskId, long version, String reason);

    /**
     * Returns claims that have not started to PENDING.
     *
     * @return whether the epoch may still write
     */
    boolean handBack(Epoch epoch, List<Attempt> unstarted);
}
