/** Refused attempts on their way to the audit: counted in memory, and entered in few rows. */
package io.twinbell.node.access.refusal;
