package io.twinbell.tools.drill.own;

/** How a drill's own pair is laid out. Each has a PostgreSQL and an ensemble of three ZooKeeper servers of its own. */
public enum PairLayout {
    /** All on the loopback address. */
    ONE_HOST,
    /** A network namespace for each part. */
    NAMESPACES,
    /** All on the loopback address, and a proxy between each node and each server. */
    PROXIES,
    /** All on the loopback address; each node has a wall clock that can be set. */
    CLOCKS,
    /** All on the loopback address, and PostgreSQL has a streaming replica. */
    REPLICA
}
