/**
 * From a fire time to a durable outcome: the threads that run handlers, the check before a start, and the recorder.
 *
 * <p>In come claimed runs whose fire time has come; out go batches of outcomes to the ledger. Handlers run on the worker threads,
 * batches are written on the recorder thread.
 */
package io.twinbell.node.engine.worker;
