/**
 * The assembly of a node and its view of the pair. {@link io.twinbell.node.pair.SchedulerNode} puts the parts together;
 * the other classes join the pair, watch the other node, move the role on request, and say whether a failover would
 * succeed now.
 */
package io.twinbell.node.pair;
