package io.twinbell.node.pair;

import io.twinbell.ha.role.Leadership;
import io.twinbell.node.loop.Signals;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Stops this node for a reason that an operator must resolve before it may run. */
final class NodeRefusal {
    private static final Logger LOG = LoggerFactory.getLogger(NodeRefusal.class);

    private final String nodeId;
    private final Leadership leadership;
    private final Signals<NodeEvent> signals;
    private final CompletableFuture<Void> ended;
    private volatile String reason;

    /** @param ended completed exceptionally by a refusal */
    NodeRefusal(String nodeId, Leadership leadership, Signals<NodeEvent> signals, CompletableFuture<Void> ended) {
        this.nodeId = nodeId;
        this.leadership = leadership;
        this.signals = signals;
        this.ended = ended;
    }

    void refuse(RuntimeException because) {
        if (reason != null) {
            return; // Another attempt to join had begun before the first refusal.
        }
        LOG.error("node {} stops: {}", nodeId, because.getMessage());
        reason = because.getMessage();
        leadership.retire();
        signals.raise(NodeEvent.REFUSED);
        ended.completeExceptionally(because);
    }

    /** Why this node must not run; empty if no reason was found. */
    Optional<String> reason() {
        return Optional.ofNullable(reason);
    }
}
