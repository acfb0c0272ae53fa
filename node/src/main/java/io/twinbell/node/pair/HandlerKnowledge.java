package io.twinbell.node.pair;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.node.api.exchange.HandlerPolicy;
import io.twinbell.node.cluster.store.HandlerKeys;
import io.twinbell.node.handler.Handlers;
import io.twinbell.node.json.FieldError;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** Answers the API's questions about handlers: which ones this node refuses to run, and which ones no node has. */
record HandlerKnowledge(Handlers handlers, HandlerKeys keys) implements HandlerPolicy {
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
            return keys.unknown(asked);
        } catch (DatabaseUnavailableException e) {
            // The task is already stored, and a missing warning does not justify an error.
            return List.of();
        }
    }
}
