/** Defaults for the members of tasks: of the cluster and of each app. */
package io.twinbell.node.defaults.store;
