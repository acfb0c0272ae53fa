/**
 * Facts about the whole cluster in the database: its identity, its nodes, the lock on each node id, and
 * what a pause of firing is.
 */
package io.twinbell.persistence.cluster;
