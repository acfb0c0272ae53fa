package io.twinbell.node.engine;

import io.twinbell.handler.TaskHandler;
import io.twinbell.node.config.NodeConfig;
import io.twinbell.node.handler.Handlers;
import java.util.List;
import java.util.Map;

/** The real handlers, with one of a test's own. */
public final class TestHandlers {
    private TestHandlers() {}

    /** @param handler what tasks with the key "k" run */
    public static Handlers of(TaskHandler handler) {
        return new Handlers(NodeConfig.HandlerConfig.DEFAULT, Map.of("k", handler), () -> 0, null, List.of());
    }
}
