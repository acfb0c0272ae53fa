/** Periodic duties that no claim waits for: partitions, retention, quotas, seals of the audit, counts and warnings. */
package io.twinbell.node.upkeep;
