package io.twinbell.node.pair;

import io.twinbell.handler.TaskHandler;
import io.twinbell.node.handler.Handlers;
import io.twinbell.persistence.cluster.HandlerKeys;

/**
 * Keeps the database's list of this node's java handlers in step while the embedding program registers more. Both nodes
 * use the list to warn of missing handlers.
 */
final class PublishedHandlers {
    private final String nodeId;
    private final Handlers handlers;
    private final HandlerKeys register;
    private boolean hasJoined;

    PublishedHandlers(String nodeId, Handlers handlers, HandlerKeys register) {
        this.nodeId = nodeId;
        this.handlers = handlers;
        this.register = register;
    }

    /** Called when this node joins the pair: until then the table may not exist. */
    synchronized void publish() {
        hasJoined = true;
        register.publish(nodeId, handlers.javaKeys());
    }

    /** Registers the code under the key, in place of other code that the program registered under it. */
    synchronized void register(String key, TaskHandler code) {
        handlers.register(key, code);
        if (hasJoined) {
            publish();
        }
    }

    synchronized void withdraw(String key) {
        handlers.withdraw(key);
        if (hasJoined) {
            publish();
        }
    }
}
