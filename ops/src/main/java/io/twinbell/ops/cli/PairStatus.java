package io.twinbell.ops.cli;

import java.util.List;
import java.util.Optional;

/** All nodes at one moment, each by its own view. */
record PairStatus(List<NodeStatus> nodes) {
    PairStatus {
        nodes = List.copyOf(nodes);
    }

    Health health() {
        if (nodes.stream().noneMatch(NodeStatus::isReachable)) {
            return Health.UNREACHABLE;
        }
        if (master().isEmpty()) {
            return Health.NO_SINGLE_MASTER;
        }
        return nodes.stream().anyMatch(NodeStatus::isStandby) ? Health.HEALTHY : Health.DEGRADED;
    }

    /** The master, unless there is none or more than one node calls itself so. */
    Optional<NodeStatus> master() {
        List<NodeStatus> masters = nodes.stream().filter(NodeStatus::isMaster).toList();
        return masters.size() == 1 ? Optional.of(masters.get(0)) : Optional.empty();
    }
}
