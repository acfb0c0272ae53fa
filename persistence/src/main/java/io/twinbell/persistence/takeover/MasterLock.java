package io.twinbell.persistence.takeover;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The lock that the master holds for as long as it lives. It belongs to a database session, so the server lets go of it
 * the moment that the process has ended. It gives no right to write; it only tells of a death. One thread uses it.
 */
public interface MasterLock {
    /** Why this way to the database cannot carry such a lock; empty if it can. Looked at anew for each new session. */
    Optional<String> unfit();

    /**
     * Waits for the lock, unless this session has it already.
     *
     * @return when it was had, by the database's clock; empty if the bound was over first
     */
    OptionalLong await(Duration bound);

    /** Asks the database whether this very session still has the lock. */
    boolean isHeld();

    /** The PostgreSQL process of the session; only while the lock is held. */
    int backend();

    /** Lets go of the lock; does nothing if it is not held. */
    void release();

    /**
     * Ends the session that holds the lock if a Twinbell process opened it.
     *
     * @return who holds it if that was somebody else, to whom nothing was done
     */
    Optional<String> evict();
}
