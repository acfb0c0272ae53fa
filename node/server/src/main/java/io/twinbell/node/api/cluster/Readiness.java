package io.twinbell.node.api.cluster;

import java.util.List;

/**
 * The result of a readiness check of a node.
 *
 * @param role the node's role
 * @param reasons what is missing; also of a ready node, that another application is in its pair
 */
public record Readiness(boolean ok, String role, List<String> reasons) {}
