/** Limits on how many executions of a key may run at once, or start within a time, as the master reads them. */
package io.twinbell.persistence.limit;
