package io.twinbell.ha.latch;

import io.twinbell.persistence.cluster.WrongClusterException;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import org.apache.zookeeper.KeeperException;

/** The cluster's id in ZooKeeper: one cluster, one database, one ensemble. */
public final class ClusterIdNode {
    private ClusterIdNode() {}

    /**
     * Writes the database's id if there is none yet.
     *
     * @throws WrongClusterException if ZooKeeper knows this cluster under another id
     */
    public static void check(ZooKeeperLink link, UUID databaseId) {
        String path = link.path("cluster-id");
        byte[] mark = databaseId.toString().getBytes(StandardCharsets.UTF_8);
        try {
            try {
                link.client().create().creatingParentsIfNeeded().forPath(path, mark);
            } catch (KeeperException.NodeExistsException e) {
                refuseAnother(path, text(link.client().getData().forPath(path)), databaseId);
            }
        } catch (WrongClusterException e) {
            throw e;
        } catch (KeeperException.NoNodeException e) {
            throw new WrongClusterException(
                    "zookeeper.connect is " + link.address()
                            + ", and ZooKeeper does not have the folder at its end: correct it, or create the folder with zkCli.sh");
        } catch (Exception e) {
            throw new IllegalStateException("could not read " + path + " from ZooKeeper: " + e, e);
        }
    }

    /** Every client may write there; what is no id is shown so far that a person can see that. */
    static String text(byte[] bytes) {
        return bytes == null ? "" : ForeignNodes.shown(new String(bytes, StandardCharsets.UTF_8));
    }

    private static void refuseAnother(String path, String found, UUID databaseId) {
        if (!found.equals(databaseId.toString())) {
            throw new WrongClusterException(
                    "ZooKeeper's " + path + " is " + found + ", but the database's cluster id is " + databaseId
                            + ": database and ZooKeeper belong to different clusters");
        }
    }
}
