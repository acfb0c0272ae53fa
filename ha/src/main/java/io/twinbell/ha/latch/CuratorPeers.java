package io.twinbell.ha.latch;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.curator.framework.recipes.cache.CuratorCache;
import org.apache.curator.framework.recipes.nodes.PersistentNode;
import org.apache.zookeeper.CreateMode;
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

    private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(1);

    private final ZooKeeperLink link;
    private final String self;
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

    /** @param onChange called when an entry has changed, on a thread that must not be kept */
    public CuratorPeers(ZooKeeperLink link, String self, Runnable onChange) {
        this.link = link;
        this.self = self;
        cache = CuratorCache.build(link.client(), link.path("nodes"));
        cache.listenable().addListener((change, before, after) -> onChange.run());
        writer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    /** Begins to watch the others, and that the connection does not stick. */
    public void start() {
        cache.start();
        writer.scheduleWithFixedDelay(
                link::mend, BETWEEN_LOOKS.toMillis(), BETWEEN_LOOKS.toMillis(), TimeUnit.MILLISECONDS);
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
        try {
            if (entry == null) {
                entry = new PersistentNode(
                        link.client(), CreateMode.EPHEMERAL, false, link.path("nodes/" + self), peer.toBytes());
                entry.start();
            } else {
                entry.setData(peer.toBytes());
            }
        } catch (Exception e) {
            // The recipe writes it again with the next session; until then the others see the old one or none.
            LOG.debug("announcing failed", e);
        }
    }

    @Override
    public List<Peer> others() {
        return cache.stream()
                .filter(child -> child.getPath().startsWith(link.path("nodes/")))
                .map(child -> Peer.fromBytes(
                        child.getPath().substring(link.path("nodes/").length()), child.getData()))
                .filter(peer -> !peer.node().equals(self))
                .toList();
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
