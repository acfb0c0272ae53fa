/**
 * The commits that the database has confirmed in the last minutes, and the repair of a promoted server that lost some
 * of them.
 */
package io.twinbell.persistence.ledger.journal;
