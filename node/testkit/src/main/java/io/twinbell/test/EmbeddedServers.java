package io.twinbell.test;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingServer;

/** One PostgreSQL for all pairs of this JVM, and a ZooKeeper for each. The only class that uses their libraries. */
final class EmbeddedServers {
    /** The library's 10 s are too short on a busy disk. */
    private static final Duration START_LIMIT = Duration.ofMinutes(1);

    /** ZooKeeper grants sessions of 2 ticks and more. */
    private static final int TICK_MILLIS = 100;

    private static TestDatabase postgres;

    private EmbeddedServers() {}

    static PairServers.Lease open(String cluster) {
        TestDatabase server = postgres();
        TestingServer zooKeeper = zooKeeper();
        TestDatabase created = server.createNew();
        return new PairServers.Lease(created, zooKeeper.getConnectString(), cluster, () -> {
            server.drop(created);
            try {
                zooKeeper.close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    private static synchronized TestDatabase postgres() {
        if (postgres == null) {
            try {
                // It stops in a shutdown hook of its own.
                EmbeddedPostgres server = EmbeddedPostgres.builder()
                        .setPGStartupWait(START_LIMIT)
                        .setServerConfig("max_connections", "300")
                        .start();
                postgres = new TestDatabase(server.getJdbcUrl("postgres", "postgres"), "postgres", null);
            } catch (IOException e) {
                throw new UncheckedIOException("PostgreSQL does not start: " + e.getMessage(), e);
            }
        }
        return postgres;
    }

    private static TestingServer zooKeeper() {
        try {
            return new TestingServer(new InstanceSpec(null, -1, -1, -1, true, -1, TICK_MILLIS, -1), true);
        } catch (Exception e) {
            throw new IllegalStateException("ZooKeeper does not start: " + e.getMessage(), e);
        }
    }
}
