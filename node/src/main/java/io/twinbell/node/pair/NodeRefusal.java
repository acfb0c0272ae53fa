package io.twinbell.node.pair;

import io.twinbell.ha.role.Leadership;
import io.twinbell.node.loop.Signals;
import io.twinbell.persistence.cluster.NodeIdInUseException;
import io.twinbell.persistence.cluster.NodeLock;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.database.WrongSchemaException;
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

    /**
     * Checks that this process still holds the lock of its node id and that the schema still allows this build. If
     * another process had the same node id, each would be mistaken for the other, so this one stops. A build that is too
     * old for the schema must not write to it.
     *
     * @param checkSchema throws {@link WrongSchemaException} if the schema no longer allows this build
     */
    void refuseUnlessMayRun(NodeLock lock, Runnable checkSchema) {
        try {
            if (!lock.acquire()) {
                refuse(new NodeIdInUseException("node.id \"" + nodeId + "\" is now in use by " + lock.holder()));
            }
            checkSchema.run();
        } catch (WrongSchemaException e) {
            refuse(e);
        } catch (DatabaseUnavailableException e) {
            // The lock was released with its connection; it is taken again within three seconds.
            LOG.debug("the lock of the node id is not held: {}", e.getMessage());
        }
    }

    /** Why this node must not run; empty if no reason was found. */
    Optional<String> reason() {
        return Optional.ofNullable(reason);
    }
}
