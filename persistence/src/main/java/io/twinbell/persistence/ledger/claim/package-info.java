/**
 * Claims: writes the row of a slot before anything runs, in batches, guarded by the epoch. It also finds the tasks and
 * the waiting rows that are due.
 */
package io.twinbell.persistence.ledger.claim;
