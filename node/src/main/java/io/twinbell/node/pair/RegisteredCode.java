package io.twinbell.node.pair;

import io.opentelemetry.api.OpenTelemetry;
import io.twinbell.handler.ScopedInterceptor;
import io.twinbell.handler.TaskHandler;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The code that the embedding program has registered with a node.
 *
 * @param app the program's own app; empty if it has named none
 * @param handlers of type {@code java}, by key
 * @param interceptors in their order
 * @param telemetry creates the spans of attempts; null for the global one
 */
public record RegisteredCode(
        String app, Map<String, TaskHandler> handlers, List<ScopedInterceptor> interceptors, OpenTelemetry telemetry) {
    public static final RegisteredCode NONE = of(Map.of());

    /** Only handlers. */
    static RegisteredCode of(Map<String, TaskHandler> handlers) {
        return new RegisteredCode("", handlers, List.of(), null);
    }

    /** The program's interceptors, then the others. */
    List<ScopedInterceptor> interceptorsBefore(List<ScopedInterceptor> others) {
        List<ScopedInterceptor> all = new ArrayList<>(interceptors);
        all.addAll(others);
        return all;
    }
}
