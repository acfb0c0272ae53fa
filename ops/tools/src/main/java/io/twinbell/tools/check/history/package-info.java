/**
 * What happened, as values: the rows of the ledger, the epochs, the calls that a receiver saw, and what the tasks owed
 * and asked for. The rules of {@link io.twinbell.tools.check} read it.
 */
package io.twinbell.tools.check.history;
