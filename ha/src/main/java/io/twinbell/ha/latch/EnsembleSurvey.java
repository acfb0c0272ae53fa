package io.twinbell.ha.latch;

import io.twinbell.persistence.database.ServerHistory;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.SocketFactory;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.client.ConnectStringParser;
import org.apache.zookeeper.data.Stat;

/**
 * Examines a ZooKeeper ensemble from outside, for the doctor command. Changes nothing except the cluster's marks, and
 * those only on request.
 */
public final class EnsembleSurvey implements AutoCloseable {
    private static final int WAIT_MILLIS = 2000;
    private static final Duration CONNECTED_WITHIN = Duration.ofSeconds(5);
    private static final Pattern VERSION = Pattern.compile("Zookeeper version: ([^-,\\s]+)");
    private static final Pattern MODE = Pattern.compile("Mode: (\\w+)");
    /** ZooKeeper's permission bit for reading. */
    private static final int READ_ALONE = 1;

    private static final int ANSWER_LIMIT = 8192;
    private static final int CHILDREN = 100;
    private static final int MANY_CHILDREN = 500;
    /**
     * A folder with more children is not listed: the answer may be longer than a client accepts, which would cost the
     * connection.
     */
    private static final int LISTED_CHILDREN = 50_000;

    private final String connect;
    private final SocketFactory sockets;
    private final ZooKeeperLink link;

    /**
     * One server of the connect string.
     *
     * @param version null if it does not report one
     * @param mode leader, follower, observer or standalone; null if it does not report one
     * @param error why it could not be asked; null if it could
     */
    public record Server(String address, String version, String mode, String error) {}

    /** @param sockets for asking the servers one by one; they must fit {@code access} */
    public EnsembleSurvey(
            String connect, String cluster, Duration sessionTimeout, ZooKeeperAccess access, SocketFactory sockets) {
        this.connect = connect;
        this.sockets = sockets;
        link = new ZooKeeperLink(connect, cluster, sessionTimeout, access, () -> {});
    }

    /**
     * Asks each server for its state with the command {@code srvr}, which servers answer unless configured otherwise.
     */
    public List<Server> servers() {
        return new ConnectStringParser(connect)
                .getServerAddresses().stream().map(this::stateOf).toList();
    }

    private Server stateOf(InetSocketAddress server) {
        String address = server.getHostString() + ":" + server.getPort();
        try (Socket socket = sockets.createSocket()) {
            socket.connect(new InetSocketAddress(server.getHostString(), server.getPort()), WAIT_MILLIS);
            socket.setSoTimeout(WAIT_MILLIS);
            socket.getOutputStream().write("srvr".getBytes(StandardCharsets.US_ASCII));
            String said = new String(socket.getInputStream().readNBytes(ANSWER_LIMIT), StandardCharsets.UTF_8);
            return new Server(address, found(VERSION, said), found(MODE, said), noZooKeeper(said));
        } catch (SocketTimeoutException e) {
            return new Server(
                    address,
                    null,
                    null,
                    "it does not respond within 2 s: it hangs, is unreachable, or is not ZooKeeper");
        } catch (IOException e) {
            return new Server(address, null, null, e.getMessage() == null ? e.toString() : e.getMessage());
        }
    }

    /**
     * Why the answer cannot come from a ZooKeeper server; null if it can. A ZooKeeper server that does not allow the
     * command answers that.
     */
    private static String noZooKeeper(String said) {
        if (VERSION.matcher(said).find()
                || said.contains("srvr is not executed")
                || said.contains("not currently serving")) {
            return null;
        }
        return said.isBlank()
                ? "it closes the connection without a response: it is not ZooKeeper, or this port uses TLS"
                : "it is not ZooKeeper; its response is \""
                        + ForeignNodes.shown(said.lines().findFirst().orElse("")) + "\"";
    }

    private static String found(Pattern pattern, String text) {
        Matcher matcher = pattern.matcher(text);
        return matcher.find() ? matcher.group(1) : null;
    }

    /** Opens a session, as a node would; returns whether it was established within five seconds. */
    public boolean connect() {
        link.start();
        return link.awaitConnection(CONNECTED_WITHIN);
    }

    /** The session timeout that was granted, in milliseconds. */
    public long negotiatedTimeoutMillis() {
        return link.negotiatedTimeoutMillis();
    }

    /** Whether the folder at the end of the connect string exists. */
    public boolean hasFolder() {
        return ask(() -> link.client().checkExists().forPath("/")).isPresent();
    }

    /**
     * The cluster's id in the ensemble; empty if there is none.
     *
     * @throws IllegalStateException if ZooKeeper does not answer
     */
    public Optional<String> clusterId() {
        return ask(() -> ClusterIdNode.text(link.client().getData().forPath(link.path("cluster-id"))));
    }

    /** Whether every client that reaches the ensemble may change the cluster's folder; empty if there is no folder. */
    public Optional<Boolean> isOpenToAll() {
        return ask(() -> link.client().getACL().forPath(link.path("cluster-id")).stream()
                .anyMatch(entry -> entry.getId().getScheme().equals("world") && entry.getPerms() != READ_ALONE));
    }

    /**
     * Gives every node of the cluster the access list that a new one would get.
     *
     * @return how many nodes were changed
     * @throws IllegalStateException if ZooKeeper does not answer, or refuses a change because a node belongs to other
     *     credentials
     */
    public int applyAcl() {
        return applyAcl(link.path("").replaceAll("/$", ""));
    }

    private int applyAcl(String path) {
        int changed = 0;
        List<String> children =
                ask(() -> link.client().getChildren().forPath(path)).orElse(List.of());
        for (String child : children) {
            changed += applyAcl(path + "/" + child);
        }
        return changed
                + ask(() -> link.client()
                                .setACL()
                                .withACL(link.access().list(path))
                                .forPath(path))
                        .map(stat -> 1)
                        .orElse(0);
    }

    /**
     * The content of the cluster's folders.
     *
     * @param nodes the entries of nodes of this database
     * @param unknown the names of the other entries that belong to a session, which may be of nodes of another database
     * @param foreignEntries everything that was not created by a node of this database, a phrase for each
     */
    public record TreeContents(List<Peer> nodes, List<String> unknown, List<String> foreignEntries) {}

    /** @param members knows from the database which nodes to believe */
    public TreeContents inhabitants(KnownMembers members) {
        List<Peer> nodes = new ArrayList<>();
        List<String> unknown = new ArrayList<>();
        List<String> strangers = new ArrayList<>();
        Set<Long> sessions = new HashSet<>();
        for (String node : children("nodes", strangers)) {
            Stat stat = new Stat();
            String path = link.path("nodes/" + node);
            askOf(
                            path,
                            strangers,
                            () -> NodeEntry.read(
                                    node,
                                    link.client().getData().storingStatIn(stat).forPath(path)))
                    .ifPresent(entry -> {
                        boolean hasSession = stat.getEphemeralOwner() != 0;
                        if (entry.isPresent() && hasSession && members.isOurs(entry.get(), stat.getEphemeralOwner())) {
                            nodes.add(entry.get().peer());
                            sessions.add(stat.getEphemeralOwner());
                            return;
                        }
                        if (hasSession) {
                            unknown.add(ForeignNodes.shown(node));
                        }
                        strangers.add(ForeignNodes.shown(path) + " was not written by a node of this database");
                    });
        }
        for (String name : children("latch", strangers)) {
            String path = link.path("latch/" + name);
            askOf(path, strangers, () -> link.client().checkExists().forPath(path))
                    .filter(stat ->
                            !sessions.contains(stat.getEphemeralOwner()) && !members.isOwner(stat.getEphemeralOwner()))
                    .ifPresent(stat -> strangers.add(ForeignNodes.shown(path)
                            + (stat.getEphemeralOwner() == 0
                                    ? " is not ephemeral"
                                    : " does not belong to a node of this database")));
        }
        return new TreeContents(nodes, unknown, strangers);
    }

    /** Limited, because a folder may be full of foreign nodes; one that cannot even be listed is a finding. */
    private List<String> children(String folder, List<String> strangers) {
        String path = link.path(folder);
        int number = ask(() -> link.client().checkExists().forPath(path))
                .map(Stat::getNumChildren)
                .orElse(0);
        if (number > MANY_CHILDREN) {
            strangers.add(path + " has " + number + " nodes, which delays or prevents a takeover");
        }
        if (number > LISTED_CHILDREN) {
            return List.of();
        }
        return ask(() -> link.client().getChildren().forPath(path)).orElse(List.of()).stream()
                .limit(CHILDREN)
                .toList();
    }

    /** A node of the folders that only its creator may read was not created by a node of this database. */
    private static <T> Optional<T> askOf(String path, List<String> strangers, Question<T> question) {
        return ask(() -> {
            try {
                return question.ask();
            } catch (KeeperException.NoAuthException e) {
                strangers.add(ForeignNodes.shown(path) + " is not readable");
                return null;
            }
        });
    }

    /** The newest timeline of the database that a node has used, as recorded in ZooKeeper. Its seal is not checked. */
    public Optional<ServerHistory.Position> timeline() {
        return ask(() -> link.client().getData().forPath(link.path(TimelineMark.NAME)))
                .map(bytes -> new String(bytes, StandardCharsets.UTF_8))
                .flatMap(TimelineMark::position);
    }

    /** Deletes the timeline mark, so that the nodes start again with the timeline that they find. */
    public void forgetTimeline() {
        ask(() -> link.client().delete().forPath(link.path(TimelineMark.NAME)));
    }

    /** Assigns the ensemble to the database with this id. */
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
            return Optional.ofNullable(question.ask());
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
