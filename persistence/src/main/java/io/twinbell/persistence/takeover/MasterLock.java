package io.twinbell.persistence.takeover;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The lock that the master holds while its process lives. It belongs to a database session, so the server releases it
 * at the moment the process ends. It grants no right to write; it only reveals a death. One thread uses it.
 */
public interface MasterLock {
    /**
     * Why this connection to the database cannot carry such a lock; empty if it can. Checked again for each new
     * session.
     */
    Optional<String> unfit();

    /**
     * Waits for the lock, unless this session holds it already.
     *
     * @return when the lock was obtained, by the database's clock; empty if the bound ended first
     */
    OptionalLong await(Duration bound);

    /** Asks the database whether this session still holds the lock. */
    boolean isHeld();

    /** The PostgreSQL process id of the session; valid only while the lock is held. */
    int backend();

    /** Releases the lock; does nothing if it is not held. */
    void release();

    /**
     * Ends the session that holds the lock if a Twinbell process opened it.
     *
     * @return the lock holder if it is not a Twinbell process; it is left alone
     */
    Optional<String> evict();
}
