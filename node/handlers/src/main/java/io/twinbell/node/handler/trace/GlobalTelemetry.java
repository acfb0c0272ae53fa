package io.twinbell.node.handler.trace;

import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.OpenTelemetry;
import java.lang.reflect.Field;
import java.util.Optional;

/**
 * Finds the global OpenTelemetry instance, if the program or its agent has set one. {@link GlobalOpenTelemetry#get}
 * would set a no-op instance if there is none, and the program could then no longer set its own, so this class checks
 * first.
 */
final class GlobalTelemetry {
    private GlobalTelemetry() {}

    static Optional<OpenTelemetry> find() {
        return isSet(GlobalOpenTelemetry.class) ? Optional.of(GlobalOpenTelemetry.get()) : Optional.empty();
    }

    /**
     * Whether a global instance is set. The method {@code isSet} is newer than the releases that Spring Boot 3.5 and
     * 4.0 manage; in older ones a private field shows the same. If neither exists, the program must pass its
     * OpenTelemetry to the builder.
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
