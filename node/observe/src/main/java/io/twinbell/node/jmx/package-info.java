/**
 * JMX of a node: its MBeans, and a server on one port that admits known users only and refuses everything but reads and
 * the listed operations. Views answer from memory; reading an attribute never waits for the network.
 */
package io.twinbell.node.jmx;
