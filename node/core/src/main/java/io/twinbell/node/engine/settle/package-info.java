/**
 * Settles what earlier masters and other clients left: orphans, skipped slots, tasks that applications added by SQL,
 * and requests to cancel and to release.
 *
 * <p>Input: rows of the ledger. Output: their final states, or further attempts for the claimer. It runs as
 * a system task, on the system worker.
 */
package io.twinbell.node.engine.settle;
