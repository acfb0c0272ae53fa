package io.twinbell.ha.latch;

import java.util.List;

/**
 * The election as this node sees it at one moment.
 *
 * @param connected whether ZooKeeper answers; if not, the rest is what was last known or empty
 * @param standing whether this node's own latch node exists under its own session
 * @param held whether it is the first
 * @param session this node's ZooKeeper session
 * @param czxid the creation id of this node's latch node; 0 if it does not stand
 * @param nodes the ids of the nodes that stand, first in line first
 * @param strangers what stands in the folder of the election and is ignored, because it is not a latch node of a node of
 *     this database; a phrase for each
 */
public record Election(
        boolean connected,
        boolean standing,
        boolean held,
        long session,
        long czxid,
        List<String> nodes,
        List<String> strangers) {
    /** Without strangers. */
    public Election(boolean connected, boolean standing, boolean held, long session, long czxid, List<String> nodes) {
        this(connected, standing, held, session, czxid, nodes, List.of());
    }

    public static final Election UNREACHABLE = new Election(false, false, false, 0, 0, List.of());

    public boolean stands(String node) {
        return nodes.contains(node);
    }
}
