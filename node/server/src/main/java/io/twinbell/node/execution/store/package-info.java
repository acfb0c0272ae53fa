/** Reads the ledger for people and programs, and accepts their requests to cancel or rerun executions. */
package io.twinbell.node.execution.store;
