package io.twinbell.persistence.takeover;

import java.util.UUID;

/**
 * Where the owner of an epoch can be found, as it has recorded itself.
 *
 * @param http the URL of its API
 * @param lockBackend the PostgreSQL process that holds the master's lock for it
 */
public record OwnerLocation(
        long epoch, String node, UUID incarnation, String http, LatchSession session, int lockBackend) {

    /**
     * The ZooKeeper session that a latch node belongs to.
     *
     * @param password what ZooKeeper wants from whoever continues the session, in hexadecimal; a secret
     * @param latchCzxid the creation id of the latch node
     */
    public record LatchSession(long id, String password, long latchCzxid) {
        @Override
        public String toString() {
            return "ZooKeeper session 0x" + Long.toHexString(id);
        }
    }
}
