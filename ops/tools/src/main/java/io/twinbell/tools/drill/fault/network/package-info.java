/** Faults of the network between nodes and servers. */
package io.twinbell.tools.drill.fault.network;
