package io.twinbell.persistence.takeover;

import io.twinbell.persistence.epoch.Epoch;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;

/** Stores where an epoch's owner can be found, and reads what its database sessions reveal about it. */
public interface OwnerRecords {
    /** Records the owner's location. A guarded write: changes nothing and returns false if the epoch was superseded. */
    boolean record(Epoch epoch, OwnerLocation location);

    /** The current owner; empty if it has resigned, or has not recorded its location yet. */
    Optional<OwnerLocation> owner();

    /** The latest owner, if it has resigned and has no successor yet. */
    Optional<OwnerLocation> resigned();

    /** Whether the master's lock is held by this database session, which the owner recorded as its own. */
    boolean isLockHeldBy(int backend);

    OwnerSessions sessionsOf(UUID incarnation);

    /** Records that {@code node} ends the ZooKeeper session of an epoch's owner; {@code verdict} is DEAD or LOST. */
    void enterTakeover(String node, long epoch, String verdict);

    /** How many owners that were not proven dead were taken over from within this time, by any node. */
    int takeoversOfLost(Duration within);
}
