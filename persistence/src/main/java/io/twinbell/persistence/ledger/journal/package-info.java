/** The port behind which a node remembers the commits that the database has confirmed. */
package io.twinbell.persistence.ledger.journal;
