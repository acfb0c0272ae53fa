/** Whether the ledger of a living pair is what its tasks owed: reads over HTTP, and leaves the judging to the checker. */
package io.twinbell.tools.verify;
