/**
 * Defaults for the members of tasks, of the cluster and of each app: a cache, and edits, which also change existing
 * tasks.
 */
package io.twinbell.node.defaults;
