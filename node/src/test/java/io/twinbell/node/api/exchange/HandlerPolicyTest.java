package io.twinbell.node.api.exchange;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.node.engine.TestHandlers;
import io.twinbell.node.handler.Handlers;
import io.twinbell.node.handler.config.HandlerConfig;
import io.twinbell.node.json.FieldError;
import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.json.StrictJson;
import io.twinbell.persistence.task.TaskChange;
import io.twinbell.persistence.task.TaskContent;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A task whose handler is off on this node is refused where it is written. */
class HandlerPolicyTest {
    @Test
    void sql_and_shell_are_off_by_default_and_the_refusal_names_the_key() {
        try (Handlers handlers =
                new Handlers(HandlerConfig.DEFAULT, Map.of(), () -> 0, TestHandlers.NO_TRANSACTIONS, List.of())) {
            HandlerPolicy switches = handlers::refusal;
            for (String type : List.of("sql", "shell")) {
                InvalidJsonException refused = assertThrows(
                        InvalidJsonException.class, () -> switches.check(StrictJson.readStored(task(type))));
                assertEquals(
                        List.of(new FieldError(
                                "/handler/type",
                                type + " tasks are disabled on this node: set handlers." + type
                                        + ".enabled to true in its configuration")),
                        refused.errors());
            }
            for (String type : List.of("http", "java", "log")) {
                assertDoesNotThrow(() -> switches.check(StrictJson.readStored(task(type))));
            }
            assertDoesNotThrow(() -> switches.check(StrictJson.readStored("{\"owner\":\"x\"}")));
        }
    }

    @Test
    void a_call_that_is_not_allowed_is_refused_with_its_place_also_where_only_a_patch_makes_it_one() {
        HandlerPolicy switches = new HandlerPolicy() {
            @Override
            public Optional<String> refusal(String type) {
                return Optional.empty();
            }

            @Override
            public List<FieldError> refusals(String app, JsonNode call) {
                return call.path("url").asText().contains("bad")
                        ? List.of(new FieldError("/url", "for " + app))
                        : List.of();
            }
        };
        JsonNode bad = StrictJson.readStored("{\"app\":\"a\",\"handler\":{\"url\":\"http://bad/\"}}");
        FieldError expected = new FieldError("/handler/url", "for a");
        InvalidJsonException refused = assertThrows(InvalidJsonException.class, () -> switches.check(bad));
        assertEquals(List.of(expected), refused.errors());
        JsonNode alert = StrictJson.readStored("{\"webhook\":{\"url\":\"http://bad/\"}}");
        assertEquals(
                List.of(new FieldError("/webhook/url", "for null")),
                assertThrows(InvalidJsonException.class, () -> switches.checkAlert(alert))
                        .errors());
        TaskContent content = new TaskContent("a", "n", null, List.of(), "http", null, bad.toString());
        TaskChange change = new TaskChange.Rewrite(content, null, Optional.empty());
        assertEquals(
                List.of(expected),
                assertThrows(
                                InvalidJsonException.class,
                                () -> switches.checked((task, now) -> change).decide(null, 0))
                        .errors());
    }

    private static String task(String type) {
        return "{\"handler\":{\"type\":\"" + type + "\"}}";
    }
}
