/** Records: writes outcomes, waits and progress reports of claimed executions, in batches, guarded by the epoch. */
package io.twinbell.persistence.ledger.record;
