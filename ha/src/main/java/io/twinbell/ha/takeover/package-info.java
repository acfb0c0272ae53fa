/**
 * Fast takeover: a standby notices the death of the master's process in milliseconds, although its ZooKeeper session
 * lives on for seconds.
 *
 * <p>The master holds a PostgreSQL advisory lock on a connection of its own. The kernel closes that connection when the
 * process dies, and the lock becomes free. The standby waits for the lock; once it has it, it decides whether the
 * master is dead, lost or alive ({@link io.twinbell.ha.takeover.OwnerVerdict}), and closes the ZooKeeper session of a
 * dead or lost one. It raises no epoch: the ordinary promotion follows.
 */
package io.twinbell.ha.takeover;
