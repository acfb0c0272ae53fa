/** Defaults of tasks, of the cluster and of each app: a cache, and edits that existing tasks follow. */
package io.twinbell.node.defaults;
