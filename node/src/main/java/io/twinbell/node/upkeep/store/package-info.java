/** Creates and drops partitions, and deletes rows after their retention time. */
package io.twinbell.node.upkeep.store;
