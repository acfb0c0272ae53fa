/**
 * The ledger: claims, outcomes, recovery and queries of executions. A slot's row is written before anything runs, and
 * exactly one row accounts for each slot. Every write of a master carries its epoch. This package has
 * the values that the packages below share.
 */
package io.twinbell.persistence.ledger;
