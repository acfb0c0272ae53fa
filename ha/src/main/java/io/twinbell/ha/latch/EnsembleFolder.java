package io.twinbell.ha.latch;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.data.Stat;

/**
 * Identifies the cluster's folder in a ZooKeeper ensemble. It is equal for all nodes that share the folder, whatever
 * addresses and paths they use.
 *
 * @param mark the creation id and creation time of the folder's cluster id node
 * @param nodes the nodes that have an entry in it
 */
public record EnsembleFolder(String mark, Set<String> nodes) {
    private static final Duration ANSWERED_WITHIN = Duration.ofSeconds(5);

    /** Reads the folder. {@link ClusterIdNode#check} must have been called before. */
    public static EnsembleFolder of(ZooKeeperLink link) {
        try {
            Stat made = link.client().checkExists().forPath(link.path("cluster-id"));
            // Another client may have removed it since the check: then this mark matches no node.
            String mark = made == null ? "none" : Long.toHexString(made.getCzxid()) + "/" + made.getCtime();
            return new EnsembleFolder(mark, nodes(link));
        } catch (Exception e) {
            throw new IllegalStateException("could not read " + link.path("") + " from ZooKeeper: " + e, e);
        }
    }

    private static Set<String> nodes(ZooKeeperLink link) throws Exception {
        String folder = link.path("nodes");
        Set<String> nodes = ConcurrentHashMap.newKeySet();
        List<String> names;
        try {
            names = link.client().getChildren().forPath(folder);
        } catch (KeeperException.NoNodeException e) {
            return Set.of();
        }
        // An entry that this node may not read was not created by a node of this database.
        new FolderQuestions(folder, ANSWERED_WITHIN)
                .ask(names, link.client().checkExists()::inBackground, (name, event) -> {
                    Stat entry = event.getStat();
                    if (entry != null && entry.getEphemeralOwner() != 0) {
                        nodes.add(name);
                    }
                });
        return nodes;
    }
}
