/**
 * The assembly of a node. {@link io.twinbell.node.pair.SchedulerNode} puts the parts together, and
 * {@link io.twinbell.node.pair.NodeEventTable} says who wakes whom. The packages below hold the database connections
 * ({@code database}), the role ({@code role}) and what the node shows ({@code view}).
 */
package io.twinbell.node.pair;
