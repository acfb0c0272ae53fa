/**
 * Storage for the work that a master settles: unfinished executions of former masters, requests to cancel or release,
 * and stalled tasks.
 */
package io.twinbell.persistence.ledger.recovery;
