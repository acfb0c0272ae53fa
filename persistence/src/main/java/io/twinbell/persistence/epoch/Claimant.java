package io.twinbell.persistence.epoch;

import java.util.UUID;

/**
 * A node that asks to open an epoch, with the latch node that entitles it.
 *
 * @param latchCzxid the creation id of its latch node. It grows with every ZooKeeper transaction, so epochs keep
 *     growing even if the database was restored from an older copy
 */
public record Claimant(String node, UUID incarnation, long zooKeeperSession, long latchCzxid) {}
