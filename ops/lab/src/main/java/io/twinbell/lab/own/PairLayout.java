package io.twinbell.lab.own;

/** Layouts of a drill's own pair. Each has its own PostgreSQL and an ensemble of three ZooKeeper servers. */
public enum PairLayout {
    /** Everything on the loopback address. */
    ONE_HOST,
    /** One network namespace for each component. */
    NAMESPACES,
    /** Everything on the loopback address, with a proxy between each node and each server. */
    PROXIES,
    /** Everything on the loopback address, and each node has a wall clock that can be set. */
    CLOCKS,
    /** Everything on the loopback address, and PostgreSQL has a streaming replica. */
    REPLICA,
    /** Everything on the loopback address, and PostgreSQL's data on the machine's own disk. */
    DISK
}
