package io.twinbell.ha.latch;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.curator.framework.recipes.locks.LockInternals;
import org.apache.curator.framework.recipes.locks.StandardLockInternalsDriver;
import org.apache.zookeeper.KeeperException;

/**
 * Who stands in the election, as the recipe's own participants would tell, but with a single question: what a latch node
 * says of its owner never changes, so each is asked for it once.
 */
final class Line {
    /** What the recipe's nodes are called, before their number. */
    private static final String PREFIX = "latch-";

    private final ZooKeeperLink link;
    private final String path;
    private final Map<String, String> owners = new ConcurrentHashMap<>();

    Line(ZooKeeperLink link, String path) {
        this.link = link;
        this.path = path;
    }

    /** The ids of those that stand, the first in line first. Any thread. */
    List<String> read() throws Exception {
        List<String> nodes = inOrder();
        owners.keySet().retainAll(nodes);
        List<String> line = new ArrayList<>(nodes.size());
        for (String node : nodes) {
            String owner = owners.get(node);
            if (owner == null) {
                owner = askFor(node);
            }
            if (owner != null) {
                line.add(owner);
            }
        }
        return line;
    }

    private List<String> inOrder() throws Exception {
        try {
            return LockInternals.getSortedChildren(
                    PREFIX,
                    StandardLockInternalsDriver::standardFixForSorting,
                    link.client().getChildren().forPath(path));
        } catch (KeeperException.NoNodeException e) {
            return List.of();
        }
    }

    /** Null if it has left meanwhile. */
    private String askFor(String node) throws Exception {
        try {
            String owner = new String(link.client().getData().forPath(path + "/" + node), StandardCharsets.UTF_8);
            owners.put(node, owner);
            return owner;
        } catch (KeeperException.NoNodeException e) {
            return null;
        }
    }
}
