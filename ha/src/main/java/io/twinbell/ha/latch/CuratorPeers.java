package io.twinbell.ha.latch;

import io.twinbell.persistence.database.Ticker;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.curator.framework.recipes.cache.ChildData;
import org.apache.curator.framework.recipes.cache.CuratorCache;
import org.apache.curator.framework.recipes.cache.CuratorCacheListener;
import org.apache.curator.framework.recipes.nodes.PersistentNode;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.data.Stat;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Entries as ephemeral nodes, read through a cache that watches them. */
public final class CuratorPeers implements Peers, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(CuratorPeers.class);

    /**
     * A role that changes will change again: the last of several is written, and none in the first moments of a takeover.
     * What concerns the database is for a master that waits, and not put off.
     */
    private static final Duration MEANWHILE = Duration.ofMillis(100);

    private static final String FOLDER = "nodes";

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
    /** What the writer has been told of and not taken yet. */
    private final AtomicReference<Peer> latest = new AtomicReference<>();

    /** What the entry says of the database, or is about to; null before the first. */
    private volatile Peer.Reach told;
    /** The writer's. */
    private PersistentNode entry;

    /** The writer's: what the entry says; null before the first. */
    private Peer written;

    /** The writer's: under which session it says so. */
    private long writtenSession;

    /**
     * The first two are called on a thread that must not be kept; {@code onLook} once a second on the one that looks at the
     * own entry, and it may wait for ZooKeeper.
     */
    public record Listeners(Runnable onChange, Runnable onGone, Runnable onLook) {}

    /** @param listeners told when an entry has changed, when one has gone, and when it is time to look at the rest */
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

    /** Begins to watch the others, and that the connection does not stick. */
    public void start() {
        cache.start();
        writer.scheduleWithFixedDelay(
                this::look, BETWEEN_LOOKS.toMillis(), BETWEEN_LOOKS.toMillis(), TimeUnit.MILLISECONDS);
    }

    private void look() {
        link.mend();
        try {
            keepEntry();
        } catch (Exception e) {
            LOG.debug("the own entry is looked at again in a second", e);
        }
        // By itself: an entry that cannot be kept must not hide a promotion of the database.
        onLook.run();
    }

    /**
     * The seal is for one session, and every client may write: the entry is written again under each new session, when it
     * says something else, and when something stands in its place. This node holds the lock of its id in the database, so
     * what stands there is not another node's.
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
            LOG.warn("removing {} from ZooKeeper: it is in the place of this node's entry", path(self));
            link.client().delete().deletingChildrenIfNeeded().forPath(path(self));
        }
        if (session != writtenSession || !Arrays.equals(found, expected)) {
            writtenSession = session;
            entry.setData(expected);
        }
    }

    /** Returns before it is done: who changes the role must not wait for that. */
    @Override
    public void announce(Peer peer) {
        boolean isUrgent = !peer.database().equals(told);
        told = peer.database();
        boolean isWriterTold = latest.getAndSet(peer) != null;
        if (isUrgent || !isWriterTold) {
            handToWriter(this::write, isUrgent ? Duration.ZERO : MEANWHILE);
        }
    }

    private void handToWriter(Runnable work, Duration delay) {
        try {
            writer.schedule(work, delay.toMillis(), TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            LOG.debug("nothing is announced any more", e);
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
            // The recipe writes it again with the next session; until then the others see the old one or none.
            LOG.debug("announcing failed", e);
        }
    }

    @Override
    public List<Peer> others() {
        foreignNodes.retain(cache.stream().map(ChildData::getPath).toList());
        return cache.stream()
                .filter(child -> !child.getPath().equals(path(self)))
                .map(this::believed)
                .flatMap(Optional::stream)
                .sorted(Comparator.comparing(Peer::node))
                .toList();
    }

    @Override
    public List<String> strangers() {
        others();
        return foreignNodes.named();
    }

    /** Whether a session is that of a node of this database, by its entry. */
    public boolean isOfANode(long session) {
        return cache.stream()
                .filter(child -> child.getStat().getEphemeralOwner() == session)
                .anyMatch(child -> believed(child).isPresent());
    }

    /** Empty if it is not of a node of this database. */
    private Optional<Peer> believed(ChildData child) {
        String path = child.getPath();
        long session = child.getStat().getEphemeralOwner();
        Optional<Entry> read = Entry.read(path.substring(path("").length()), child.getData());
        if (read.isPresent() && session != 0 && members.isOurs(read.get(), session)) {
            foreignNodes.recognised(path);
            return read.map(Entry::peer);
        }
        if (read.isEmpty()) {
            foreignNodes.name(path, "is not the entry of a node");
        } else if (foreignNodes.isOut(path)) {
            foreignNodes.name(path, "was written by no node of this database");
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
                LOG.debug("the entry goes with the session", e);
            }
        }
    }
}
