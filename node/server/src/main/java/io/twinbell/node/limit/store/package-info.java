/** Limits of concurrent executions, quotas of apps and standing pauses, as people set and read them. */
package io.twinbell.node.limit.store;
