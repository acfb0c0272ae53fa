/**
 * What a node knows of itself and of the pair, and how it shows this over HTTP, JMX and metrics. It also judges whether
 * a failover would succeed now.
 */
package io.twinbell.node.pair.view;
