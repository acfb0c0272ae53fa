package io.twinbell.ha.latch;

import java.util.List;

/**
 * The election as this node sees it at one moment.
 *
 * @param connected whether ZooKeeper answers; if not, the rest is what was last known or empty
 * @param standing whether this node's own latch node exists under its own session
 * @param held whether this node's latch node is the first
 * @param session this node's ZooKeeper session
 * @param czxid the creation id of this node's latch node; 0 if it does not stand
 * @param nodes the ids of the standing nodes, first in line first
 * @param foreignEntries the ignored nodes in the election's folder, which are not latch nodes of a node of this
 *     database; a phrase for each
 */
public record Election(
        boolean connected,
        boolean standing,
        boolean held,
        long session,
        long czxid,
        List<String> nodes,
        List<String> foreignEntries) {
    /** An election without strangers. */
    public Election(boolean connected, boolean standing, boolean held, long session, long czxid, List<String> nodes) {
        this(connected, standing, held, session, czxid, nodes, List.of());
    }

    public static final Election UNREACHABLE = new Election(false, false, false, 0, 0, List.of());

    public boolean isCandidate(String node) {
        return nodes.contains(node);
    }
}
