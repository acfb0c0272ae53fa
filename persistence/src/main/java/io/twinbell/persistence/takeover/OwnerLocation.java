package io.twinbell.persistence.takeover;

import java.util.UUID;

/**
 * The addresses and sessions of an epoch's owner, as the owner recorded them.
 *
 * @param http the URL of its API
 * @param lockBackend the PostgreSQL process that holds the master's lock for the owner
 */
public record OwnerLocation(
        long epoch, String node, UUID incarnation, String http, LatchSession session, int lockBackend) {

    /**
     * The ZooKeeper session that a latch node belongs to.
     *
     * @param password the password with which a client can continue the session, in hexadecimal; a secret
     * @param latchCzxid the creation id of the latch node
     */
    public record LatchSession(long id, String password, long latchCzxid) {
        @Override
        public String toString() {
            return "ZooKeeper session 0x" + Long.toHexString(id);
        }
    }
}
