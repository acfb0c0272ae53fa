/**
 * Facts about the whole cluster in the database: its identity, its nodes, the lock on each node id, and
 * pauses of firing.
 */
package io.twinbell.persistence.cluster;
