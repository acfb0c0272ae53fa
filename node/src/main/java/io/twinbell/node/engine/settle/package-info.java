/**
 * What earlier masters and other people left: orphans, passed slots, tasks that applications added by SQL, requests to cancel and
 * to release, executions that are stuck, and old partitions.
 *
 * <p>In come rows of the ledger; out go their ends, or further attempts for the claimer. It is the system task that settles, on
 * the system worker; the housekeeper has a thread of its own.
 */
package io.twinbell.node.engine.settle;
