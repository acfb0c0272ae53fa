/**
 * The state of the node and of the pair, as the node knows it and shows it over HTTP, JMX and metrics. It also judges
 * whether a failover would succeed now.
 */
package io.twinbell.node.pair.view;
