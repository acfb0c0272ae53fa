/**
 * The ledger. A slot's row is written before anything runs, and exactly one row accounts for each slot. Claims,
 * outcomes and recovery carry the epoch of the master that writes them. This package has the values that the packages
 * below share.
 */
package io.twinbell.persistence.ledger;
