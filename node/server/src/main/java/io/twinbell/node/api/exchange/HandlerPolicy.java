package io.twinbell.node.api.exchange;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.json.FieldError;
import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.json.StrictJson;
import io.twinbell.persistence.task.TaskChange;
import io.twinbell.persistence.task.TaskContent;
import io.twinbell.persistence.task.TaskDecision;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * Refuses tasks that this node's configuration rules out: disabled handler types, and HTTP calls that are not allowed.
 * Such a task would only fail when it fires.
 */
@FunctionalInterface
public interface HandlerPolicy {
    JsonPointer TYPE = JsonPointer.compile("/handler/type");
    HandlerPolicy ALL_ON = type -> Optional.empty();

    /** Why the handler type cannot be used; empty if it can. */
    Optional<String> refusal(String type);

    /** Returns those of the given java handler keys that no node has. */
    default List<String> unknown(Collection<String> keys) {
        return List.of();
    }

    /** Adds warnings about a stored task to the answer: unusual settings that are not errors. */
    default void warn(ObjectNode answer, TaskContent content) {
        if (content.handlerKey() != null
                && !unknown(List.of(content.handlerKey())).isEmpty()) {
            warn(answer, content.handlerKey());
        }
    }

    static void warn(ObjectNode answer, String handlerKey) {
        answer.putArray("warnings")
                .add("no node has a java handler with the key \"" + handlerKey
                        + "\": the slots wait up to 15 minutes for a master that has it");
    }

    /**
     * Returns the errors of an HTTP call, with JSON pointers relative to the call.
     *
     * @param app null for the webhook of an alert
     */
    default List<FieldError> refusals(String app, JsonNode call) {
        return List.of();
    }

    /**
     * @throws InvalidJsonException if a task, or a patch of one, names a disabled handler type or a call that is not
     *     allowed
     */
    default void check(JsonNode task) {
        JsonNode type = task.at(TYPE);
        Optional<String> refusal = type.isTextual() ? refusal(type.textValue()) : Optional.empty();
        if (refusal.isPresent()) {
            throw new InvalidJsonException("/handler/type", refusal.get());
        }
        // A patch without the app is checked later, as part of the whole task.
        if (task.path("app").isTextual()) {
            checkCall(task.path("app").textValue(), task.path("handler"), "/handler");
        }
    }

    /** @throws InvalidJsonException if the alert's webhook is a call that is not allowed */
    default void checkAlert(JsonNode alert) {
        checkCall(null, alert.path("webhook"), "/webhook");
    }

    private void checkCall(String app, JsonNode call, String pointer) {
        List<FieldError> errors = refusals(app, call).stream()
                .map(error -> new FieldError(pointer + error.pointer(), error.detail()))
                .toList();
        if (!errors.isEmpty()) {
            throw new InvalidJsonException(errors);
        }
    }

    /** Wraps the decision so that the HTTP call of the resulting task is checked too; throws like {@link #check}. */
    default TaskDecision checked(TaskDecision decision) {
        return (current, nowMillis) -> {
            TaskChange change = decision.decide(current, nowMillis);
            if (change instanceof TaskChange.Rewrite rewrite
                    && rewrite.content().handlerType().equals("http")) {
                TaskContent content = rewrite.content();
                checkCall(
                        content.app(),
                        StrictJson.readStored(content.definition()).path("handler"),
                        "/handler");
            }
            return change;
        };
    }
}
