/**
 * Settles what earlier masters and other clients left: orphans, skipped slots, tasks that applications added by SQL,
 * requests to cancel and to release, stuck executions, and old partitions.
 *
 * <p>Input: rows of the ledger. Output: their final states, or further attempts for the claimer. The settling system
 * task runs on the system worker; the housekeeper has its own thread.
 */
package io.twinbell.node.engine.settle;
