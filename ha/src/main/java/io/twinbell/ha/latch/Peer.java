package io.twinbell.ha.latch;

/**
 * A node's description of itself in its ZooKeeper entry, which disappears with its session.
 *
 * @param http the address of its API, {@code http://host:port}; empty if it has none
 * @param jmx the address of its JMX connector, {@code host:port}; empty if it does not listen
 * @param app the application that the node runs in; empty if it has not said so. Only for messages to people
 */
public record Peer(
        String node,
        String incarnation,
        String role,
        String http,
        String jmx,
        String version,
        String app,
        ReachReport database) {
    /**
     * The node's report on whether it reaches the database. A master that does not reach it resigns only to a node that
     * does. The entry of a node that is gone stays as long as its session, so a report counts only if it answers a
     * question.
     *
     * @param asks identifies this node's current loss of the database, on which the other nodes should answer; empty
     *     while it reaches the database
     * @param answers the question of another node that this entry answers; empty if there was none
     */
    public record ReachReport(boolean isReached, String asks, String answers) {
        /** A reach without question and answer. */
        public static ReachReport of(boolean isReached) {
            return new ReachReport(isReached, "", "");
        }
    }

    public boolean databaseReached() {
        return database.isReached();
    }
}
