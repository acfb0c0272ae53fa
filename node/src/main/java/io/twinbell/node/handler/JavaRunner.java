package io.twinbell.node.handler;

import io.twinbell.handler.TaskContext;
import io.twinbell.handler.TaskHandler;
import io.twinbell.node.task.HandlerSpec;
import java.time.Instant;
import java.util.Map;

/** The {@code java} handler: code of the embedding program, on the worker's own thread. */
final class JavaRunner {
    private static final int OUTPUT_LIMIT = 8192;

    private final Map<String, TaskHandler> handlers;

    JavaRunner(Map<String, TaskHandler> handlers) {
        this.handlers = Map.copyOf(handlers);
    }

    Outcome run(Call call, HandlerSpec.JavaCode code) throws Exception {
        TaskHandler handler = handlers.get(code.key());
        if (handler == null) {
            return Outcome.failed("no handler is registered under the key \"" + code.key() + "\" on this node", null);
        }
        Object result = handler.run(context(call));
        return Outcome.succeeded(result == null ? null : cut(result.toString()));
    }

    private static TaskContext context(Call call) {
        return new TaskContext(
                call.slot().taskId(),
                call.app(),
                call.name(),
                Instant.ofEpochMilli(call.slot().fireTimeMillis()),
                call.slot().idempotencyKey(),
                call.attempt(),
                call.epoch(),
                call.data());
    }

    private static String cut(String output) {
        return output.length() <= OUTPUT_LIMIT ? output : output.substring(0, OUTPUT_LIMIT);
    }
}
