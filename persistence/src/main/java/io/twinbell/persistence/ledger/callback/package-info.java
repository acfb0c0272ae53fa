/**
 * Attempts that are parked: their outcome comes from outside, from the holder of a token. They hold no thread and no
 * connection, and survive a change of the master.
 */
package io.twinbell.persistence.ledger.callback;
