/** Faults of the ZooKeeper ensemble and of the election. */
package io.twinbell.lab.fault.zookeeper;
