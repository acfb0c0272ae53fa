package io.twinbell.node.pair;

/**
 * Events that one part of a node raises and another part handles. An event carries no value: the part that handles it
 * reads the changed state itself. {@link NodeEventTable} says which part handles each event.
 */
enum NodeEvent {
    /** The health probe got an answer of the database again, or for the first time. */
    DATABASE_REACHED,
    /** The health probe got no answer of the database. */
    DATABASE_LOST,
    /** The database's clock has jumped relative to the monotonic clock. */
    DATABASE_CLOCK_JUMPED,
    /** The connection for the database's notifications was opened again, so some may have been missed. */
    NOTIFICATIONS_RESUMED,
    /** The database notified of an epoch that was opened, or of a request to the owner. */
    EPOCH_NOTIFIED,
    /** The connection to ZooKeeper has changed. */
    ZOOKEEPER_CHANGED,
    /** The latch or the election may have changed. */
    LATCH_CHANGED,
    /** The entry of another node has changed. */
    PEERS_CHANGED,
    /** This node's role has changed. */
    ROLE_CHANGED,
    /** The database refused the engine's writes because their epoch is superseded. */
    EPOCH_SUPERSEDED,
    /** The first handler under an epoch of this node has started. */
    FIRST_FIRED,
    /** An operator asked through this node's API for a move of the role. */
    MOVE_REQUESTED,
    /** This node has joined the pair. */
    JOINED,
    /** A check found that this node must not run. */
    REFUSED,
    /** A client of this node's change stream has connected. */
    STREAM_OPENED,
    /** An attempt to deliver an alert has ended. */
    ALERT_ATTEMPT_ENDED
}
