package io.twinbell.node.api;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.twinbell.node.config.NodeConfig;
import io.twinbell.node.handler.Handlers;
import io.twinbell.node.json.FieldError;
import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.json.StrictJson;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A task whose handler is off on this node is refused where it is written. */
class HandlerSwitchesTest {
    @Test
    void sql_and_shell_are_off_by_default_and_the_refusal_names_the_key() {
        try (Handlers handlers = new Handlers(NodeConfig.Handlers.DEFAULT, Map.of(), () -> 0, null)) {
            HandlerSwitches switches = handlers::refusal;
            for (String type : List.of("sql", "shell")) {
                InvalidJsonException refused = assertThrows(
                        InvalidJsonException.class, () -> switches.check(StrictJson.readStored(task(type))));
                assertEquals(
                        List.of(new FieldError(
                                "/handler/type",
                                type + " tasks are off on this node: handlers." + type
                                        + ".enabled must be true in its configuration")),
                        refused.errors());
            }
            for (String type : List.of("http", "java", "log")) {
                assertDoesNotThrow(() -> switches.check(StrictJson.readStored(task(type))));
            }
            assertDoesNotThrow(() -> switches.check(StrictJson.readStored("{\"owner\":\"x\"}")));
        }
    }

    private static String task(String type) {
        return "{\"handler\":{\"type\":\"" + type + "\"}}";
    }
}
