package io.twinbell.node.api;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.node.json.InvalidJsonException;
import java.util.Optional;

/** Which handler types this node has switched off: a task for one would only fail when it fires. */
@FunctionalInterface
public interface HandlerSwitches {
    JsonPointer TYPE = JsonPointer.compile("/handler/type");
    HandlerSwitches ALL_ON = type -> Optional.empty();

    /** Why there can be no task of this handler type, if so. */
    Optional<String> refusal(String type);

    /** @throws InvalidJsonException if a task, or a patch of one, names a handler that is off */
    default void check(JsonNode task) {
        JsonNode type = task.at(TYPE);
        Optional<String> refusal = type.isTextual() ? refusal(type.textValue()) : Optional.empty();
        if (refusal.isPresent()) {
            throw new InvalidJsonException("/handler/type", refusal.get());
        }
    }
}
