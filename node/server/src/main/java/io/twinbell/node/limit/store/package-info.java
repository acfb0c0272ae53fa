/** Limits of concurrent executions and quotas of apps, as people set and read them. */
package io.twinbell.node.limit.store;
