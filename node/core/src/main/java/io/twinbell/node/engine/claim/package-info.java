/**
 * Claims due slots: they become this node's in the ledger, durably, before anything runs.
 *
 * <p>Input: due tasks from the trigger, and rows that wait in the ledger. Output: claimed runs. Everything happens on
 * the claimer thread, under the epoch that the promotion opened.
 */
package io.twinbell.node.engine.claim;
