package io.twinbell.test;

import io.twinbell.DatabaseException;
import io.twinbell.Twinbell;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import javax.management.MBeanServerFactory;

/** A node of a {@link TestPair}, with links to the servers that can be cut. It may be started several times. */
final class PairNode {
    private final String id;
    private final PairServers.Lease servers;
    private final NetworkLink toDatabase;
    private final List<NetworkLink> toZooKeeper;
    private final Supplier<Twinbell.Builder> application;
    private Twinbell twinbell;

    /** @param application makes a builder for each start */
    PairNode(String id, PairServers.Lease servers, Supplier<Twinbell.Builder> application) {
        this.id = id;
        this.servers = servers;
        this.application = application;
        toDatabase = new NetworkLink(servers.database().server());
        toZooKeeper = NetworkAddress.list(servers.zooKeeper()).stream()
                .map(NetworkLink::new)
                .toList();
    }

    String id() {
        return id;
    }

    Twinbell twinbell() {
        return twinbell;
    }

    /** Starts the node, and waits until it has joined. */
    void start(Duration sessionTimeout, Duration patience) {
        TestDatabase database = servers.database();
        Twinbell.Builder builder = application
                .get()
                .set("cluster", servers.cluster())
                .set("node.id", id)
                .set("database.url", database.urlBy(toDatabase.entrance()))
                .set("database.user", database.user())
                .set(
                        "zookeeper.connect",
                        toZooKeeper.stream()
                                .map(link -> link.entrance().toString())
                                .collect(Collectors.joining(",")))
                .set("zookeeper.sessionTimeout", sessionTimeout.toString())
                .set("http.enabled", "false")
                .set("jmx.enabled", "false")
                .beanServer(MBeanServerFactory.newMBeanServer());
        if (database.password() != null) {
            builder.set("database.password", database.password());
        }
        twinbell = builder.start();
        if (!twinbell.awaitJoined(patience)) {
            throw new IllegalStateException("node " + id + " has not joined within " + patience + ": "
                    + twinbell.joinObstacle().orElse("no reason is known"));
        }
    }

    boolean isMaster() {
        return twinbell.role().equals("MASTER");
    }

    boolean isStandby() {
        return twinbell.role().equals("STANDBY");
    }

    boolean reachesDatabase() {
        try {
            twinbell.tasks().list(null, null, 0, 1);
            return true;
        } catch (DatabaseException e) {
            return false;
        }
    }

    long epoch() {
        return twinbell.status().epoch();
    }

    void cutDatabase() {
        toDatabase.cut();
    }

    void cutAll() {
        toDatabase.cut();
        toZooKeeper.forEach(NetworkLink::cut);
    }

    void heal() {
        toDatabase.heal();
        toZooKeeper.forEach(NetworkLink::heal);
    }

    /** Stops the node in order, if it runs. */
    void stop() {
        if (twinbell != null) {
            twinbell.close();
            twinbell = null;
        }
    }

    void closeLinks() {
        toDatabase.close();
        toZooKeeper.forEach(NetworkLink::close);
    }
}
