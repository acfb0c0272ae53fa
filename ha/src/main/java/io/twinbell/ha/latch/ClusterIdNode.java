package io.twinbell.ha.latch;

import io.twinbell.persistence.cluster.WrongClusterException;
import java.nio.charset.StandardCharsets;
import java.util.UUID;
import org.apache.zookeeper.KeeperException;

/** The node in ZooKeeper that holds the cluster's id. It ties one cluster to one database and one ensemble. */
public final class ClusterIdNode {
    private ClusterIdNode() {}

    /**
     * Writes the database's cluster id to ZooKeeper if there is none yet.
     *
     * @throws WrongClusterException if ZooKeeper has another id for this cluster
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
            throw new WrongClusterException("zookeeper.connect is " + link.address()
                    + ", but ZooKeeper does not have the folder at its end: correct the key, or create the"
                    + " folder with zkCli.sh");
        } catch (Exception e) {
            throw new IllegalStateException("could not read " + path + " from ZooKeeper: " + e, e);
        }
    }

    /**
     * The content as printable text of limited length. Every client may write there, so an invalid id is shown only far
     * enough for a person to recognise it.
     */
    static String text(byte[] bytes) {
        return bytes == null ? "" : ForeignNodes.shown(new String(bytes, StandardCharsets.UTF_8));
    }

    private static void refuseAnother(String path, String found, UUID databaseId) {
        if (!found.equals(databaseId.toString())) {
            throw new WrongClusterException(
                    "ZooKeeper's " + path + " is " + found + ", but the database's cluster id is " + databaseId
                            + ": a pair with another database uses this name there. Give this pair another name with the"
                            + " key cluster; after a deliberate move, run 'twinbell doctor --adopt'");
        }
    }
}
