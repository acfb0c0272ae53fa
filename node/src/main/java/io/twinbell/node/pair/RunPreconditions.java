package io.twinbell.node.pair;

import io.twinbell.persistence.cluster.NodeIdInUseException;
import io.twinbell.persistence.cluster.NodeLock;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.database.WrongSchemaException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks that this process still holds the lock of its node id and that the schema still allows this build. If another
 * process had the same node id, each would be mistaken for the other, so this one stops. A build that is too old for
 * the schema must not write to it.
 */
final class RunPreconditions {
    private static final Logger LOG = LoggerFactory.getLogger(RunPreconditions.class);

    private final String nodeId;
    private final NodeLock lock;
    private final Runnable checkSchema;
    private final NodeRefusal refusal;

    /** @param checkSchema throws {@link WrongSchemaException} if the schema no longer allows this build */
    RunPreconditions(String nodeId, NodeLock lock, Runnable checkSchema, NodeRefusal refusal) {
        this.nodeId = nodeId;
        this.lock = lock;
        this.checkSchema = checkSchema;
        this.refusal = refusal;
    }

    void check() {
        try {
            if (!lock.acquire()) {
                refusal.refuse(
                        new NodeIdInUseException("node.id \"" + nodeId + "\" is now in use by " + lock.holder()));
            }
            checkSchema.run();
        } catch (WrongSchemaException e) {
            refusal.refuse(e);
        } catch (DatabaseUnavailableException e) {
            // The lock was released with its connection; it is taken again within three seconds.
            LOG.debug("the lock of the node id is not held: {}", e.getMessage());
        }
    }
}
