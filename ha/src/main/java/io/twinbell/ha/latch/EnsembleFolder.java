package io.twinbell.ha.latch;

import java.util.HashSet;
import java.util.Set;
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
        Set<String> nodes = new HashSet<>();
        try {
            for (String node : link.client().getChildren().forPath(folder)) {
                Stat entry = link.client().checkExists().forPath(folder + "/" + node);
                if (entry != null && entry.getEphemeralOwner() != 0) {
                    nodes.add(node);
                }
            }
        } catch (KeeperException.NoNodeException e) {
            return Set.of();
        }
        return nodes;
    }
}
