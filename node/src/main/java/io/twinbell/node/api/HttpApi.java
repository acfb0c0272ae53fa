package io.twinbell.node.api;

import io.twinbell.persistence.database.DatabaseClock;
import io.twinbell.persistence.ledger.ExecutionQueries;
import io.twinbell.persistence.task.TaskStore;

/** The HTTP API of one node. Either node serves all of it: the database is the truth. */
public final class HttpApi {
    /**
     * @param host to listen on
     * @param port 0 for any that is free
     */
    public record Address(String host, int port) {}

    /** What the API reads and writes. */
    public record Stores(TaskStore tasks, ExecutionQueries executions, DatabaseClock clock) {}

    public HttpApi(Address address, Stores stores, ClusterView cluster) {}

    /**
     * Returns when requests are served.
     *
     * @return the port that it listens on
     * @throws PortTakenException if another process has the port
     */
    public int start() {
        return 0;
    }

    /** Lets requests under way finish, for five seconds at most. */
    public void stop() {}
}
