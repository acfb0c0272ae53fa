package io.twinbell;

import java.util.List;

/**
 * The state of a node, as far as the node itself knows it.
 *
 * @param role STOPPED until the node has joined the pair, then STANDBY, PROMOTING, MASTER or DEMOTING
 * @param epoch the newest epoch that the node knows; 0 if none
 * @param isReady whether the node can do its part of the pair's work now
 * @param reasons what is missing; also of a ready node, that another application is in its pair
 */
public record TwinbellStatus(
        String cluster, String nodeId, String role, long epoch, boolean isReady, List<String> reasons) {}
