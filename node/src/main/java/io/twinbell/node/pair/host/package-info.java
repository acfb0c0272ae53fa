/** The address of this host, as the other node and the database see it. */
package io.twinbell.node.pair.host;
