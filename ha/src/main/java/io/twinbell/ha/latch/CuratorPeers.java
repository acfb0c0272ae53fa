package io.twinbell.ha.latch;

import java.io.IOException;
import java.util.List;
import org.apache.curator.framework.recipes.cache.CuratorCache;
import org.apache.curator.framework.recipes.nodes.PersistentNode;
import org.apache.zookeeper.CreateMode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Entries as ephemeral nodes, read through a cache that watches them. */
public final class CuratorPeers implements Peers, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(CuratorPeers.class);

    private final ZooKeeperLink link;
    private final String self;
    private final CuratorCache cache;
    private PersistentNode entry;

    public CuratorPeers(ZooKeeperLink link, String self) {
        this.link = link;
        this.self = self;
        cache = CuratorCache.build(link.client(), link.path("nodes"));
    }

    /** Begins to watch the others. */
    public void start() {
        cache.start();
    }

    @Override
    public synchronized void announce(Peer peer) {
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
    public synchronized void close() {
        cache.close();
        if (entry != null) {
            try {
                entry.close();
            } catch (IOException e) {
                LOG.debug("the entry goes with the session", e);
            }
        }
    }
}
