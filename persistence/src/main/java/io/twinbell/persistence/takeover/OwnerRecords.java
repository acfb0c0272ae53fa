package io.twinbell.persistence.takeover;

import io.twinbell.persistence.epoch.Epoch;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;

/** What owners record of themselves, and what may be seen of them. */
public interface OwnerRecords {
    /** A guarded write; changes nothing and returns false if the epoch was superseded. */
    boolean record(Epoch epoch, OwnerLocation location);

    /** The current owner; empty if it has resigned, or has not recorded itself yet. */
    Optional<OwnerLocation> owner();

    /** The latest owner, if it has resigned and nobody has followed it. */
    Optional<OwnerLocation> resigned();

    /** Whether the master's lock is held by the session that the owner has recorded. */
    boolean isLockHeldBy(int backend);

    OwnerSessions sessionsOf(UUID incarnation);

    /** Enters that {@code node} ends the session of an epoch's owner; {@code verdict} is DEAD or LOST. */
    void enterTakeover(String node, long epoch, String verdict);

    /** How many owners that were not proven dead were taken over from within the time, by any node. */
    int takeoversOfLost(Duration within);
}
