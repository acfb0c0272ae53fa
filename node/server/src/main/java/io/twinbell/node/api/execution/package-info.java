/** Routes that read, cancel, release and rerun executions, and that check the ledger. */
package io.twinbell.node.api.execution;
