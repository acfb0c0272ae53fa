/**
 * A history as values: the rows of the ledger, the epochs, the calls that a receiver saw, and the slots and policies of
 * the tasks. The rules of {@link io.twinbell.tools.check} read it.
 */
package io.twinbell.tools.check.history;
