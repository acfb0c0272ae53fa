/** Faults of the network between nodes and servers. */
package io.twinbell.lab.fault.network;
