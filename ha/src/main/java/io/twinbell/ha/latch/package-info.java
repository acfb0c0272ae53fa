/**
 * The election on ZooKeeper: this node's latch node, the order of the latch nodes of the pair, and the entries in which
 * both nodes describe themselves.
 *
 * <p>This is the only package that imports Curator. Everything that waits for ZooKeeper has a bound, because a server
 * that hangs is noticed only after most of the session timeout. Holding the latch gives no right to write; it gives the
 * right to open an epoch ({@link io.twinbell.persistence.epoch}).
 */
package io.twinbell.ha.latch;
