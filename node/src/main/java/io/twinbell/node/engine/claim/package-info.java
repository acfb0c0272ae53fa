/**
 * The durable step: due slots become this node's in the ledger before anything runs.
 *
 * <p>In come due tasks from the trigger and rows that wait in the ledger; out go claimed runs. Everything happens on the claimer
 * thread, under the epoch that the promotion opened.
 */
package io.twinbell.node.engine.claim;
