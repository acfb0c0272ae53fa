package io.twinbell.ha.latch;

/**
 * What a node says of itself in its ZooKeeper entry, which goes with its session.
 *
 * @param http where its API answers, {@code http://host:port}; empty if it has none
 * @param jmx where its JMX answers, {@code host:port}; empty if it does not listen
 */
public record Peer(
        String node, String incarnation, String role, String http, String jmx, String version, Reach database) {
    /**
     * How it stands with the database: a master that does not reach it resigns only to a node that does. The entry of a
     * node that has gone stays for as long as its session, so what it says is worth nothing until it answers.
     *
     * @param asks names a loss of the database, about which the node wants to hear from the others; empty while it has it
     * @param answers what another node asked when this was written; empty if none has asked
     */
    public record Reach(boolean isReached, String asks, String answers) {
        /** Of a node that asks and answers nothing. */
        public static Reach of(boolean isReached) {
            return new Reach(isReached, "", "");
        }
    }

    public boolean databaseReached() {
        return database.isReached();
    }
}
