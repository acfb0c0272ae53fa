package io.twinbell.node.handler;

import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.OpenTelemetry;
import java.lang.reflect.Field;
import java.util.Optional;

/**
 * The global OpenTelemetry, if the program or its agent has set one. {@link GlobalOpenTelemetry#get} sets a no-op instance
 * when there is none, after which the program can no longer set its own, so this class looks first.
 */
final class GlobalTelemetry {
    private GlobalTelemetry() {}

    static Optional<OpenTelemetry> find() {
        return isSet(GlobalOpenTelemetry.class) ? Optional.of(GlobalOpenTelemetry.get()) : Optional.empty();
    }

    /**
     * The method {@code isSet} exists only in newer releases than those that Spring Boot 3.5 and 4.0 manage. In older ones
     * a private field tells the same. Without either the program passes its OpenTelemetry to the builder.
     */
    static boolean isSet(Class<?> global) {
        try {
            return (boolean) global.getMethod("isSet").invoke(null);
        } catch (ReflectiveOperationException e) {
            return hasInstance(global);
        }
    }

    private static boolean hasInstance(Class<?> global) {
        try {
            Field instance = global.getDeclaredField("globalOpenTelemetry");
            instance.setAccessible(true);
            return instance.get(null) != null;
        } catch (ReflectiveOperationException | RuntimeException e) {
            return false;
        }
    }
}
