package io.twinbell.node.api;

import java.util.List;

/**
 * Whether a node can do its part.
 *
 * @param role what it is
 * @param reasons what is missing; empty if it is ready
 */
public record Readiness(boolean ok, String role, List<String> reasons) {}
