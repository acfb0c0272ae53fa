/**
 * The role of this node and how it changes.
 *
 * <pre>
 * STANDBY   → PROMOTING  the latch is won
 * PROMOTING → MASTER     the epoch is open, and the first page of the task heap is loaded
 * PROMOTING → STANDBY    the epoch was refused, or the latch is lost
 * MASTER    → DEMOTING   it resigned, was superseded, or alone has lost the database
 * DEMOTING  → STANDBY    its handlers have ended, or their time is over
 * </pre>
 *
 * <p>One thread calls {@link io.twinbell.ha.role.Leadership#step}; other threads leave a request and wake it. Decisions
 * are pure ({@link io.twinbell.ha.role.PromotionDecision}). A master stays master until its epoch is superseded, it
 * hands over, or it alone has lost the database; losing ZooKeeper does not stop it. It starts nothing unless its last
 * guarded statement began within the trust window of one second, so a process that was frozen starts nothing on an
 * authority that has ended.
 */
package io.twinbell.ha.role;
