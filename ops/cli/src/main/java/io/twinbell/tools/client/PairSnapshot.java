package io.twinbell.tools.client;

import java.net.ConnectException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The states of all nodes at one moment, each from the node's own view.
 *
 * @param failures why nodes that accept connections gave no answer, such as an unknown certificate
 */
public record PairSnapshot(List<NodeStatus> nodes, List<String> failures) {
    private static final Duration LOOK = Duration.ofSeconds(2);
    /** The lag from which firing counts as late. A shorter lag is normal in a burst of work. */
    private static final Duration LATE = Duration.ofMinutes(1);

    public PairSnapshot {
        nodes = List.copyOf(nodes);
        failures = List.copyOf(failures);
    }

    /** A snapshot without failures. */
    public PairSnapshot(List<NodeStatus> nodes) {
        this(nodes, List.of());
    }

    /** Asks the nodes in parallel, because a frozen one does not answer. */
    public static PairSnapshot of(List<URI> addresses) {
        return of(addresses, TokenSource.USUAL);
    }

    /** The same, with the tokens of a certain pair. */
    public static PairSnapshot of(List<URI> addresses, TokenSource tokens) {
        List<String> failures = Collections.synchronizedList(new ArrayList<>());
        List<NodeStatus> nodes = addresses.parallelStream()
                .map(address -> readNode(address, tokens, failures))
                .toList();
        return new PairSnapshot(nodes, failures);
    }

    private static NodeStatus readNode(URI address, TokenSource tokens, List<String> failures) {
        try {
            return NodeStatus.of(address, new NodeClient(address, LOOK, tokens).get("/api/v1/cluster/self"));
        } catch (NodeException notAnswering) {
            if (!(notAnswering.getCause() instanceof ConnectException)) {
                failures.add(notAnswering.getMessage());
            }
            return NodeStatus.unreachable(address);
        }
    }

    public HealthExitCode health() {
        if (nodes.stream().noneMatch(NodeStatus::isReachable)) {
            return HealthExitCode.UNREACHABLE;
        }
        if (master().isEmpty()) {
            return HealthExitCode.NO_SINGLE_MASTER;
        }
        if (notFiring().isPresent()) {
            return HealthExitCode.NOT_FIRING;
        }
        if (nodes.stream().noneMatch(NodeStatus::couldTakeOver)) {
            return HealthExitCode.DEGRADED;
        }
        if (!warnings().isEmpty()) {
            return HealthExitCode.WARNING;
        }
        return isLate() ? HealthExitCode.LATE : HealthExitCode.HEALTHY;
    }

    /** Why the master starts or records nothing; empty if it does, or if there is no master. */
    public Optional<String> notFiring() {
        return master().flatMap(master ->
                master.notFiring().map(why -> "node " + master.id() + " is master and does not fire: " + why));
    }

    /** How many slots were found in doubt within 24 hours; the highest number that a node knows. */
    public long slotsInDoubt() {
        return nodes.stream()
                .mapToLong(node -> node.nodeResources().slotsInDoubt())
                .max()
                .orElse(0);
    }

    /** What a person should know although the pair may fire, as the nodes say it. */
    public List<String> warnings() {
        return nodes.stream()
                .flatMap(node -> node.nodeResources().warnings().stream())
                .distinct()
                .toList();
    }

    private boolean isLate() {
        return master().stream().anyMatch(master -> master.nodeResources().lagMillis() > LATE.toMillis());
    }

    /** Whether all firing is paused. */
    public boolean isPaused() {
        return nodes.stream().anyMatch(NodeStatus::isPaused);
    }

    /** How many executions wait for a callback, on all nodes. */
    public long parkedRuns() {
        return nodes.stream()
                .mapToLong(node -> node.nodeResources().parkedRuns())
                .sum();
    }

    /** Whether an app, a tag or a handler is paused. */
    public boolean hasStandingPauses() {
        return nodes.stream().anyMatch(node -> node.nodeResources().standingPauses() > 0);
    }

    public boolean isOnHold() {
        return nodes.stream().anyMatch(NodeStatus::isOnHold);
    }

    /** Why no node takes over from a lost master; empty if nothing prevents it. */
    public Optional<String> heldBack() {
        return nodes.stream().map(NodeStatus::heldBack).filter(Objects::nonNull).findFirst();
    }

    /** The master; empty if no node, or more than one node, reports that role. */
    public Optional<NodeStatus> master() {
        List<NodeStatus> masters = nodes.stream().filter(NodeStatus::isMaster).toList();
        return masters.size() == 1 ? Optional.of(masters.get(0)) : Optional.empty();
    }
}
