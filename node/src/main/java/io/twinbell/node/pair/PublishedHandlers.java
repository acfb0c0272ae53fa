package io.twinbell.node.pair;

import io.twinbell.handler.PluginTasks;
import io.twinbell.handler.TaskHandler;
import io.twinbell.node.cluster.store.HandlerKeys;
import io.twinbell.node.handler.Handlers;
import java.util.Set;

/**
 * Keeps the list of this node's java handlers and http profiles in the database up to date while the embedding program
 * registers more handlers. Both nodes use the list to warn of what one of them lacks.
 */
public final class PublishedHandlers implements HandlerRegistry {
    private final String nodeId;
    private final Handlers handlers;
    private final HandlerKeys register;
    private boolean hasJoined;

    PublishedHandlers(String nodeId, Handlers handlers, HandlerKeys register) {
        this.nodeId = nodeId;
        this.handlers = handlers;
        this.register = register;
    }

    /** Starts the plugins, then publishes the handlers of this node. A node whose plugins fail does not join. */
    void startPluginsAndPublish(PluginTasks tasks) {
        handlers.startPlugins(tasks);
        publish();
    }

    /** Called when this node joins the pair: until then the table may not exist. */
    synchronized void publish() {
        hasJoined = true;
        register.publish(nodeId, handlers.javaKeys(), handlers.httpProfiles());
    }

    @Override
    public Set<String> live() {
        return register.live();
    }

    @Override
    public synchronized void register(String key, TaskHandler code) {
        handlers.register(key, code);
        if (hasJoined) {
            publish();
        }
    }

    @Override
    public synchronized void withdraw(String key) {
        handlers.withdraw(key);
        if (hasJoined) {
            publish();
        }
    }
}
