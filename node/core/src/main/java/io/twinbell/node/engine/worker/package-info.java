/**
 * Runs handlers and records their outcomes. Contains the worker threads, the check before a start, and the recorder.
 *
 * <p>Input: claimed runs whose fire time has come. Output: batches of outcomes to the ledger. Handlers run on the
 * worker threads; the recorder thread writes the batches.
 */
package io.twinbell.node.engine.worker;
