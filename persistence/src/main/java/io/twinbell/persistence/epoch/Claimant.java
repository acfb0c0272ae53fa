package io.twinbell.persistence.epoch;

import java.util.UUID;

/**
 * Who asks for an epoch, and by which latch node.
 *
 * @param latchCzxid the creation id of its latch node: grows with every ZooKeeper transaction, so it keeps epochs growing
 *     even when the database was restored from an older copy
 */
public record Claimant(String node, UUID incarnation, long zooKeeperSession, long latchCzxid) {}
