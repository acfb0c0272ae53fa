package io.twinbell.node.api;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.persistence.task.TaskContent;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/** Which handler types this node has switched off: a task for one would only fail when it fires. */
@FunctionalInterface
public interface HandlerSwitches {
    JsonPointer TYPE = JsonPointer.compile("/handler/type");
    HandlerSwitches ALL_ON = type -> Optional.empty();

    /** Why there can be no task of this handler type, if so. */
    Optional<String> refusal(String type);

    /** Those of these keys of java handlers that no node knows. */
    default List<String> unknown(Collection<String> keys) {
        return List.of();
    }

    /** Adds to the answer about a stored task what is strange about it and no mistake in itself. */
    default void warn(ObjectNode answer, TaskContent content) {
        if (content.handlerKey() != null
                && !unknown(List.of(content.handlerKey())).isEmpty()) {
            warn(answer, content.handlerKey());
        }
    }

    static void warn(ObjectNode answer, String handlerKey) {
        answer.putArray("warnings")
                .add("no node has a java handler under the key \"" + handlerKey
                        + "\": its slots wait until a node that has it is master, for 15 minutes at most");
    }

    /** @throws InvalidJsonException if a task, or a patch of one, names a handler that is off */
    default void check(JsonNode task) {
        JsonNode type = task.at(TYPE);
        Optional<String> refusal = type.isTextual() ? refusal(type.textValue()) : Optional.empty();
        if (refusal.isPresent()) {
            throw new InvalidJsonException("/handler/type", refusal.get());
        }
    }
}
