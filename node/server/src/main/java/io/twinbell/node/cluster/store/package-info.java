/** What the nodes of a pair store about themselves for people: activity, keys of handlers. */
package io.twinbell.node.cluster.store;
