package io.twinbell.ha.latch;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.client.ConnectStringParser;

/** Looks at an ensemble from outside; changes nothing in it but the cluster's mark, and that only when told to. */
public final class EnsembleSurvey implements AutoCloseable {
    private static final int WAIT_MILLIS = 2000;
    private static final Duration CONNECTED_WITHIN = Duration.ofSeconds(5);
    private static final Pattern VERSION = Pattern.compile("Zookeeper version: ([^-,\\s]+)");
    private static final Pattern MODE = Pattern.compile("Mode: (\\w+)");
    /** The bit of ZooKeeper that allows to read. */
    private static final int READ_ALONE = 1;

    private static final int ANSWER_LIMIT = 8192;

    private final String connect;
    private final ZooKeeperLink link;

    /**
     * One server of the connect string.
     *
     * @param version null if it does not tell
     * @param mode leader, follower, observer or standalone; null if it does not tell
     * @param error why it could not be asked; null if it could
     */
    public record Server(String address, String version, String mode, String error) {}

    public EnsembleSurvey(String connect, String cluster, Duration sessionTimeout) {
        this.connect = connect;
        link = new ZooKeeperLink(connect, cluster, sessionTimeout, () -> {});
    }

    /** Asks each server for its state by the word {@code srvr}, which they answer unless configured otherwise. */
    public List<Server> servers() {
        return new ConnectStringParser(connect)
                .getServerAddresses().stream().map(EnsembleSurvey::stateOf).toList();
    }

    private static Server stateOf(InetSocketAddress server) {
        String address = server.getHostString() + ":" + server.getPort();
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(server.getHostString(), server.getPort()), WAIT_MILLIS);
            socket.setSoTimeout(WAIT_MILLIS);
            socket.getOutputStream().write("srvr".getBytes(StandardCharsets.US_ASCII));
            String said = new String(socket.getInputStream().readNBytes(ANSWER_LIMIT), StandardCharsets.UTF_8);
            return new Server(address, found(VERSION, said), found(MODE, said), null);
        } catch (IOException e) {
            return new Server(address, null, null, e.getMessage() == null ? e.toString() : e.getMessage());
        }
    }

    private static String found(Pattern pattern, String text) {
        Matcher matcher = pattern.matcher(text);
        return matcher.find() ? matcher.group(1) : null;
    }

    /** Opens a session, as a node would; whether it came in five seconds. */
    public boolean connect() {
        link.start();
        return link.awaitConnection(CONNECTED_WITHIN);
    }

    /** The session timeout that was granted, in milliseconds. */
    public long negotiatedTimeoutMillis() {
        return link.negotiatedTimeoutMillis();
    }

    /**
     * The cluster's id as the ensemble knows it; empty if it knows none.
     *
     * @throws IllegalStateException if it cannot be asked
     */
    public Optional<String> clusterId() {
        return ask(() -> new String(link.client().getData().forPath(link.path("cluster-id")), StandardCharsets.UTF_8));
    }

    /** Whether anybody who reaches the ensemble may change the cluster's folder; empty if there is none. */
    public Optional<Boolean> isOpenToAll() {
        return ask(() -> link.client().getACL().forPath(link.path("cluster-id")).stream()
                .anyMatch(entry -> entry.getId().getScheme().equals("world") && entry.getPerms() != READ_ALONE));
    }

    /** The entries of the nodes that have a session now. */
    public List<Peer> nodes() {
        List<Peer> found = new ArrayList<>();
        for (String node : ask(() -> link.client().getChildren().forPath(link.path("nodes")))
                .orElse(List.of())) {
            ask(() -> Peer.fromBytes(node, link.client().getData().forPath(link.path("nodes/" + node))))
                    .ifPresent(found::add);
        }
        return found;
    }

    /** From now on the ensemble belongs to the database with this id. */
    public void adopt(UUID databaseId) {
        byte[] mark = databaseId.toString().getBytes(StandardCharsets.UTF_8);
        ask(() -> link.client().create().orSetData().creatingParentsIfNeeded().forPath(link.path("cluster-id"), mark));
    }

    @FunctionalInterface
    private interface Question<T> {
        T ask() throws Exception;
    }

    private static <T> Optional<T> ask(Question<T> question) {
        try {
            return Optional.of(question.ask());
        } catch (KeeperException.NoNodeException e) {
            return Optional.empty();
        } catch (Exception e) {
            throw new IllegalStateException("ZooKeeper: " + e.getMessage(), e);
        }
    }

    @Override
    public void close() {
        link.close();
    }
}
