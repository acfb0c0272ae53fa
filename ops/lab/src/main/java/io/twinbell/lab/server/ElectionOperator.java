package io.twinbell.lab.server;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ConnectStringParser;
import org.apache.zookeeper.client.StaticHostProvider;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.data.Stat;

/** Reads and changes the election with the rights of any ZooKeeper client. */
public final class ElectionOperator {
    private static final Duration SESSION = Duration.ofSeconds(10);
    private static final Duration CONNECTED_WITHIN = Duration.ofSeconds(10);
    /** From ZooKeeper's source, ZooKeeperServer.generatePasswd: a session's password is derived from its id. */
    private static final long PASSWORD_SECRET = 0XB3415C00L;

    private static final int PASSWORD_LENGTH = 16;

    private final String connect;

    public ElectionOperator(String connect) {
        this.connect = connect;
    }

    /**
     * An entry of the election.
     *
     * @param node the node of the entry
     * @param session the ZooKeeper session of the entry's client
     */
    public record ElectionEntry(String path, String node, long session) {}

    @FunctionalInterface
    private interface Work<T> {
        T with(ZooKeeper client) throws KeeperException, InterruptedException;
    }

    /** The election's entries, the latch holder first. */
    public List<ElectionEntry> entries() throws IOException {
        return work("read the election", ElectionOperator::entries);
    }

    /** Removes a node's entries; returns their number. */
    public int remove(String node) throws IOException {
        return work("remove the entry of node " + node, client -> {
            int removed = 0;
            for (ElectionEntry electionEntry : entries(client)) {
                if (electionEntry.node().equals(node)) {
                    client.delete(electionEntry.path(), -1);
                    removed++;
                }
            }
            return removed;
        });
    }

    /** Ends a client's session, as the server does at its timeout. */
    public void expire(long session) throws IOException {
        byte[] password = new byte[PASSWORD_LENGTH];
        new Random(session ^ PASSWORD_SECRET).nextBytes(password);
        CountDownLatch connected = new CountDownLatch(1);
        try {
            ZooKeeper client = new ZooKeeper(
                    connect,
                    (int) SESSION.toMillis(),
                    watcher(connected),
                    session,
                    password,
                    false,
                    new StaticHostProvider(new ConnectStringParser(connect).getServerAddresses()),
                    settings());
            try {
                await(connected);
            } finally {
                client.close();
            }
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    private static List<ElectionEntry> entries(ZooKeeper client) throws KeeperException, InterruptedException {
        List<ElectionEntry> places = new ArrayList<>();
        for (String latch : latches(client, "/")) {
            for (String child : client.getChildren(latch, false)) {
                Stat stat = new Stat();
                String path = latch + "/" + child;
                byte[] data = client.getData(path, false, stat);
                places.add(new ElectionEntry(path, new String(data, StandardCharsets.UTF_8), stat.getEphemeralOwner()));
            }
        }
        // The recipe's node names end in the ten digits that ZooKeeper assigned.
        return places.stream()
                .sorted(Comparator.comparing(electionEntry ->
                        electionEntry.path().substring(electionEntry.path().lastIndexOf('-') + 1)))
                .toList();
    }

    /** The latch paths. A development pair's ensemble has one cluster, of any name. */
    private static List<String> latches(ZooKeeper client, String path) throws KeeperException, InterruptedException {
        List<String> found = new ArrayList<>();
        for (String child : client.getChildren(path, false)) {
            String full = path.equals("/") ? path + child : path + "/" + child;
            if (child.equals("latch")) {
                found.add(full);
            } else if (!full.equals("/zookeeper")) {
                found.addAll(latches(client, full));
            }
        }
        return found;
    }

    private <T> T work(String what, Work<T> work) throws IOException {
        CountDownLatch connected = new CountDownLatch(1);
        try {
            ZooKeeper client = new ZooKeeper(connect, (int) SESSION.toMillis(), watcher(connected), settings());
            try {
                await(connected);
                return work.with(client);
            } finally {
                client.close();
            }
        } catch (KeeperException e) {
            throw new IOException("ZooKeeper failed to do this for the drill: " + what + ": " + e.getMessage(), e);
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    private void await(CountDownLatch connected) throws IOException, InterruptedException {
        if (!connected.await(CONNECTED_WITHIN.toSeconds(), TimeUnit.SECONDS)) {
            throw new IOException("ZooKeeper at " + connect + " does not answer");
        }
    }

    private static Watcher watcher(CountDownLatch connected) {
        return event -> {
            if (event.getState() == Watcher.Event.KeeperState.SyncConnected) {
                connected.countDown();
            }
        };
    }

    /** Disables SASL: with it, the client would query name servers, which a drill may have cut off. */
    private static ZKClientConfig settings() {
        ZKClientConfig settings = new ZKClientConfig();
        settings.setProperty(ZKClientConfig.ENABLE_CLIENT_SASL_KEY, "false");
        return settings;
    }

    private static IOException interrupted(InterruptedException e) {
        Thread.currentThread().interrupt();
        return new IOException("interrupted while waiting for ZooKeeper", e);
    }
}
