package io.twinbell.node.config;

import java.time.Duration;

/**
 * Everything that one node is told. {@link ConfigReader} fills it in; {@link ConfigKeys} has the names, the bounds and
 * the defaults.
 */
public record NodeConfig(
        String cluster,
        String nodeId,
        Listeners listeners,
        Database database,
        ZooKeeper zooKeeper,
        Workers workers,
        Retention retention) {
    public record Listeners(Endpoint http, Endpoint jmx) {}

    /** @param port 0 for any that is free */
    public record Endpoint(String host, int port) {}

    /**
     * @param url a {@code jdbc:postgresql:} URL
     * @param password null for none
     */
    public record Database(String url, String user, String password) {
        /** Leaves the password out, because configurations get logged. */
        @Override
        public String toString() {
            return "Database[url=" + url + ", user=" + user + "]";
        }
    }

    /** @param connect {@code host:port}, several separated by commas */
    public record ZooKeeper(String connect, Duration sessionTimeout) {}

    /**
     * @param size how many handlers run at once
     * @param maxInFlight how many claimed executions may wait or run
     * @param drain how long running handlers may go on after a stop
     */
    public record Workers(int size, int maxInFlight, Duration drain) {}

    /**
     * How long the ledger keeps what became of a slot, by its outcome.
     *
     * @param executions the longest: whole days are dropped by it
     * @param skipped also of what was missed
     * @param finishedTasks how long a task that is FINISHED can be read
     */
    public record Retention(
            Duration executions, Duration succeeded, Duration failed, Duration skipped, Duration finishedTasks) {}
}
