package io.twinbell.persistence.epoch;

import java.time.Duration;
import java.util.Optional;

/**
 * Stores the current epoch and its owner. Methods that take an {@link Epoch} change nothing and return false if it was
 * superseded.
 */
public interface EpochRegister {
    EpochRow read();

    /**
     * Opens the next epoch if {@code expected} is still the current one. Empty if another node was faster, or if
     * automatic takeover is on hold and no person has asked for this one. Only the latch holder may call this. If
     * statements of the old owner hold the epoch row, its database sessions are ended.
     */
    Optional<Epoch> open(long expected, Claimant claimant, String reason);

    /** Writes the heartbeat of the epoch's owner; a guarded write. */
    boolean beat(Epoch epoch);

    /** A guarded read: renews trust without changing anything. */
    boolean confirm(Epoch epoch);

    /** Resigns the epoch. Its running executions may still be recorded for {@code drain}. */
    boolean resign(Epoch epoch, Duration drain);

    /**
     * Records that a resigned epoch has no running executions left, so that a successor need not wait for the end of
     * the drain.
     */
    void drained(Epoch epoch);

    /** Asks the owner of {@code epoch} to hand over, and wakes it. */
    void askToHandOver(long epoch, String askedBy, String reason);

    /** Why the owner of {@code epoch} was asked to hand over; empty if it was not. */
    Optional<String> handOverAsked(Epoch epoch);

    /**
     * Runs the statements of an owner under an epoch that does not exist, so that they are warm when an epoch is
     * opened. Changes nothing.
     */
    default void warmUp() {}
}
