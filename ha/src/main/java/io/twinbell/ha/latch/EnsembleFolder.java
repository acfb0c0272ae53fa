package io.twinbell.ha.latch;

import java.util.HashSet;
import java.util.Set;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.data.Stat;

/**
 * Which folder of which ZooKeeper this is: equal for all nodes that share it, whatever addresses and paths lead there.
 *
 * @param mark the numbers of its creation
 * @param nodes the nodes that have an entry in it
 */
public record EnsembleFolder(String mark, Set<String> nodes) {
    /** Looks at it. {@link ClusterIdNode#check} has been called before. */
    public static EnsembleFolder of(ZooKeeperLink link) {
        try {
            Stat made = link.client().checkExists().forPath(link.path("cluster-id"));
            // Between the two calls somebody may have removed it: then this mark is nobody's.
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
