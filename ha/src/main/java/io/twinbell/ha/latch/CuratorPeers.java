package io.twinbell.ha.latch;

import io.twinbell.persistence.clock.Ticker;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.apache.curator.framework.recipes.cache.ChildData;
import org.apache.curator.framework.recipes.cache.CuratorCache;
import org.apache.curator.framework.recipes.cache.CuratorCacheListener;
import org.apache.curator.framework.recipes.nodes.PersistentNode;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.data.Stat;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes this node's entry in ZooKeeper as an ephemeral node, and reads the other nodes' entries from a cache that
 * watches them.
 */
public final class CuratorPeers implements Peers, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(CuratorPeers.class);

    /**
     * Delay before a role change is written. Changes come in series: only the last one of a series is written, and none
     * in the first moments of a takeover. A change of the database reach is written at once, because a master waits for
     * it.
     */
    private static final Duration SERIES_DELAY = Duration.ofMillis(100);

    private static final String FOLDER = "nodes";

    /** More than any cluster has nodes. */
    private static final int MANY_CHILDREN = 500;

    private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(1);

    private final ZooKeeperLink link;
    private final String self;
    private final KnownMembers members;
    private final ForeignNodes foreignNodes;
    private final Runnable onLook;
    private final CuratorCache cache;
    private final ScheduledThreadPoolExecutor writer = new ScheduledThreadPoolExecutor(1, work -> {
        Thread thread = new Thread(work, "announcer");
        thread.setDaemon(true);
        return thread;
    });
    /** The newest entry to write that the writer has not taken yet. */
    private final AtomicReference<Peer> latest = new AtomicReference<>();

    /**
     * This node's latest report about the database, which its entry has or is about to get; null before the first
     * announcement.
     */
    private volatile Peer.ReachReport lastReport;
    /** Used by the writer thread only. */
    private PersistentNode entry;

    /** Used by the writer thread only: what the entry says now; null before the first write. */
    private Peer written;

    /** Used by the writer thread only: the session under which the entry was written. */
    private long writtenSession;

    /** Used by the writer thread only: what the previous survey found. */
    private Set<String> foundBefore = Set.of();

    /** Foreign nodes that the cache does not show, with the reason, by path. */
    private volatile Map<String, String> hidden = Map.of();

    /**
     * Callbacks. The first two run on a thread that they must not block. {@code onLook} runs once a second on the
     * thread that checks this node's own entry, and may wait for ZooKeeper.
     */
    public record Listeners(Runnable onChange, Runnable onGone, Runnable onLook) {}

    /** @param listeners called when an entry has changed, when one is gone, and when it is time for the other checks */
    public CuratorPeers(ZooKeeperLink link, String self, KnownMembers members, Ticker ticker, Listeners listeners) {
        this.link = link;
        this.self = self;
        this.members = members;
        foreignNodes = new ForeignNodes(ticker);
        onLook = listeners.onLook();
        cache = CuratorCache.builder(link.client(), link.path(FOLDER))
                .withStorage(new BoundedEntries(link.path(FOLDER)))
                .build();
        cache.listenable().addListener((change, before, after) -> {
            listeners.onChange().run();
            if (change == CuratorCacheListener.Type.NODE_DELETED) {
                listeners.onGone().run();
            }
        });
        writer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    /** Begins to watch the other nodes' entries, and to check once a second that the connection works. */
    public void start() {
        cache.start();
        writer.scheduleWithFixedDelay(
                this::readEntries, BETWEEN_LOOKS.toMillis(), BETWEEN_LOOKS.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void readEntries() {
        link.repairSession();
        try {
            keepEntry();
            survey();
        } catch (Exception e) {
            LOG.debug("checking this node's entry failed, retrying in a second", e);
        }
        // Separate from keepEntry: an entry that cannot be kept must not hide a promotion of the database.
        onLook.run();
    }

    /**
     * Writes this node's entry again under each new session, when its content differs, or when another node took its
     * path. The seal is valid for one session only, and every ZooKeeper client may write there. This node holds the
     * database lock of its node id, so a foreign node at this path does not belong to another node of the database.
     */
    private void keepEntry() throws Exception {
        long session = link.session();
        if (entry == null || written == null || !link.isConnected() || session == 0) {
            return;
        }
        Stat stat = new Stat();
        byte[] found;
        try {
            found = link.client().getData().storingStatIn(stat).forPath(path(self));
        } catch (KeeperException.NoNodeException e) {
            return;
        }
        byte[] expected = members.entry(written, session).toBytes();
        if (stat.getEphemeralOwner() != session || stat.getNumChildren() > 0) {
            LOG.warn(
                    "removing {} from ZooKeeper: another client wrote it at the path of this node's entry", path(self));
            link.client().delete().deletingChildrenIfNeeded().forPath(path(self));
        }
        if (session != writtenSession || !Arrays.equals(found, expected)) {
            writtenSession = session;
            entry.setData(expected);
        }
    }

    /**
     * Finds what the cache does not show: entries that only their creator may read, and folders that are so full that
     * listing them may cost the connection.
     */
    private void survey() throws Exception {
        Map<String, String> found = new HashMap<>();
        for (String folder : List.of(FOLDER, "latch")) {
            String path = link.path(folder);
            Stat stat = link.client().checkExists().forPath(path);
            int children = stat == null ? 0 : stat.getNumChildren();
            if (children > MANY_CHILDREN) {
                found.put(path, "has " + children + " nodes, which delays or prevents a takeover");
            } else if (folder.equals(FOLDER) && children != cache.size()) {
                for (String name : link.client().getChildren().forPath(path)) {
                    if (cache.get(path(name)).isEmpty()) {
                        found.put(path(name), "is not readable");
                    }
                }
            }
        }
        // The cache may read a new entry slightly later than this thread lists it. So an entry counts as hidden only if
        // it is missing in two surveys in a row.
        Set<String> twice = new HashSet<>(found.keySet());
        twice.retainAll(foundBefore);
        foundBefore = Set.copyOf(found.keySet());
        found.keySet().retainAll(twice);
        hidden = Map.copyOf(found);
    }

    /** Returns before the entry is written, because the thread that changes the role must not wait for it. */
    @Override
    public void announce(Peer peer) {
        boolean isUrgent = !peer.database().equals(lastReport);
        lastReport = peer.database();
        boolean isWriterTold = latest.getAndSet(peer) != null;
        if (isUrgent || !isWriterTold) {
            handToWriter(this::write, isUrgent ? Duration.ZERO : SERIES_DELAY);
        }
    }

    private void handToWriter(Runnable work, Duration delay) {
        try {
            writer.schedule(work, delay.toMillis(), TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            LOG.debug("the entry is not updated any more", e);
        }
    }

    private void write() {
        Peer peer = latest.getAndSet(null);
        if (peer == null) {
            return;
        }
        written = peer;
        writtenSession = link.session();
        try {
            byte[] bytes = members.entry(peer, writtenSession).toBytes();
            if (entry == null) {
                entry = new PersistentNode(link.client(), CreateMode.EPHEMERAL, false, path(self), bytes);
                entry.start();
            } else {
                entry.setData(bytes);
            }
        } catch (Exception e) {
            // The recipe writes it again with the next session. Until then the other nodes see the old entry or none.
            LOG.debug("updating the entry failed", e);
        }
    }

    @Override
    public List<Peer> others() {
        Map<String, String> hiddenNow = hidden;
        foreignNodes.retain(Stream.concat(cache.stream().map(ChildData::getPath), hiddenNow.keySet().stream())
                .toList());
        hiddenNow.forEach(foreignNodes::name);
        return cache.stream()
                .filter(child -> !child.getPath().equals(path(self)))
                .map(this::believed)
                .flatMap(Optional::stream)
                .sorted(Comparator.comparing(Peer::node))
                .toList();
    }

    @Override
    public List<String> foreignEntries() {
        others();
        return foreignNodes.named();
    }

    /** Whether a session belongs to a node of this database, judged by its entry. */
    public boolean isNodeSession(long session) {
        return cache.stream()
                .filter(child -> child.getStat().getEphemeralOwner() == session)
                .anyMatch(child -> believed(child).isPresent());
    }

    /** Reads an entry; empty if it does not belong to a node of this database. */
    private Optional<Peer> believed(ChildData child) {
        String path = child.getPath();
        long session = child.getStat().getEphemeralOwner();
        Optional<NodeEntry> read = NodeEntry.read(path.substring(path("").length()), child.getData());
        if (read.isPresent() && session != 0 && members.isOurs(read.get(), session)) {
            foreignNodes.recognised(path);
            return read.map(NodeEntry::peer);
        }
        if (read.isEmpty()) {
            foreignNodes.name(path, "is not a valid node entry");
        } else if (foreignNodes.isOut(path)) {
            foreignNodes.name(path, "was not written by a node of this database");
        }
        return Optional.empty();
    }

    private String path(String node) {
        return link.path(FOLDER) + "/" + node;
    }

    @Override
    public void close() {
        cache.close();
        handToWriter(this::remove, Duration.ZERO);
        writer.shutdown();
        try {
            writer.awaitTermination(1, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void remove() {
        if (entry != null) {
            try {
                entry.close();
            } catch (IOException e) {
                LOG.debug("removing the entry failed; it disappears with the session", e);
            }
        }
    }
}
