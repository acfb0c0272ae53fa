/**
 * Claims due slots: they become this node's in the ledger, durably, before anything runs.
 *
 * <p>Input: due tasks from the trigger, and rows that wait in the ledger. Output: claimed runs. The claimer
 * thread does this, under the epoch that the promotion opened; {@code ClaimedRuns} also takes runs of other threads.
 */
package io.twinbell.node.engine.claim;
