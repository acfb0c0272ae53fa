/** Limits on how many executions of a key may run at once, or start within a time. */
package io.twinbell.persistence.limit;
