/** What the database has confirmed in the last minutes, and what a promoted server may have lost of it. */
package io.twinbell.persistence.ledger.journal;
