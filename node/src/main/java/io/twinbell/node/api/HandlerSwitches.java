package io.twinbell.node.api;

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
 * What this node's configuration keeps from tasks: handler types that are switched off, and calls that it does not allow.
 * A task for one would only fail when it fires.
 */
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

    /**
     * What stands against an http call, with pointers into it.
     *
     * @param app null for the webhook of an alert
     */
    default List<FieldError> refusals(String app, JsonNode call) {
        return List.of();
    }

    /** @throws InvalidJsonException if a task, or a patch of one, names a handler that is off, or a call that is not allowed */
    default void check(JsonNode task) {
        JsonNode type = task.at(TYPE);
        Optional<String> refusal = type.isTextual() ? refusal(type.textValue()) : Optional.empty();
        if (refusal.isPresent()) {
            throw new InvalidJsonException("/handler/type", refusal.get());
        }
        // Of a patch that does not say the app, the whole task is looked at once it is known.
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

    /** The decision, and then a look at what it makes of the task's call; throws like {@link #check}. */
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
