/**
 * Verifies the ledger of a running pair against the slots that its tasks owed: reads over HTTP and leaves the judgement
 * to the checker.
 */
package io.twinbell.tools.verify;
