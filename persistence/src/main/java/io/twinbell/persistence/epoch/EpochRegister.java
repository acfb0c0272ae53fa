package io.twinbell.persistence.epoch;

import java.time.Duration;
import java.util.Optional;

/** Where authority is kept. Methods that take an {@link Epoch} change nothing and return false if it was superseded. */
public interface EpochRegister {
    EpochRow read();

    /**
     * Opens the next epoch if {@code expected} is still the current one; empty if somebody else was faster, or takeovers
     * are on hold and nobody has asked for this one by hand. Only the latch holder may call this. If statements of the old owner hold the row, its database sessions are ended.
     */
    Optional<Epoch> open(long expected, Claimant claimant, String reason);

    /** A guarded write that says "alive". */
    boolean beat(Epoch epoch);

    /** A guarded read: renews trust without changing anything. */
    boolean confirm(Epoch epoch);

    /** Gives the epoch up; its running executions may be recorded for {@code drain} more. */
    boolean resign(Epoch epoch, Duration drain);

    /** Says that nothing of a resigned epoch runs any more, so that a successor need not wait for the drain's end. */
    void drained(Epoch epoch);

    /** Asks the owner of {@code epoch} to hand over, and wakes it. */
    void askToHandOver(long epoch, String askedBy, String reason);

    /** Why the owner of {@code epoch} was asked to hand over, if it was. */
    Optional<String> handOverAsked(Epoch epoch);

    /** Goes the ways of an owner under an epoch that never was, so that they are known when one is opened. Changes nothing. */
    default void warmUp() {}
}
