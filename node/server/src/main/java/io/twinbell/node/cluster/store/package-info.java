/** What the nodes of a pair store about themselves for people: activity, results of drills, keys of handlers. */
package io.twinbell.node.cluster.store;
