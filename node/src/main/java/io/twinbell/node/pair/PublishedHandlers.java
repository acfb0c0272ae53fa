package io.twinbell.node.pair;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.handler.PluginTasks;
import io.twinbell.handler.TaskHandler;
import io.twinbell.node.api.exchange.HandlerPolicy;
import io.twinbell.node.cluster.store.HandlerKeys;
import io.twinbell.node.handler.Handlers;
import io.twinbell.node.json.FieldError;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Keeps the list of this node's java handlers and http profiles in the database up to date while the embedding program
 * registers more handlers. Both nodes use the list to warn of what one of them lacks. Answers the API's questions about
 * handlers: which ones this node refuses to run, and which ones no node has.
 */
public final class PublishedHandlers implements LibraryNode.HandlerRegistry, HandlerPolicy {
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

    @Override
    public Optional<String> refusal(String type) {
        return handlers.refusal(type);
    }

    @Override
    public List<FieldError> refusals(String app, JsonNode call) {
        return handlers.refusals(app, call);
    }

    @Override
    public List<String> unknown(Collection<String> asked) {
        try {
            return register.unknown(asked);
        } catch (DatabaseUnavailableException e) {
            // The task is already stored, and a missing warning does not justify an error.
            return List.of();
        }
    }
}
