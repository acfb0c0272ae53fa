package io.twinbell.node.handler.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.opentelemetry.api.GlobalOpenTelemetry;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The shapes that the class has in the releases which Spring Boot manages; the module node/boot runs the real ones. */
class GlobalTelemetryTest {
    /** As in 1.62. */
    public static final class Newer {
        public static boolean isSet() {
            return true;
        }
    }

    /** As in 1.49 and 1.55. */
    public static final class Older {
        private static volatile Object globalOpenTelemetry;
    }

    @Test
    void a_release_with_the_question_is_asked() {
        assertTrue(GlobalTelemetry.isSet(Newer.class));
    }

    @Test
    void a_release_without_the_question_is_set_when_its_field_is() {
        assertFalse(GlobalTelemetry.isSet(Older.class));
        Older.globalOpenTelemetry = "agent";
        assertTrue(GlobalTelemetry.isSet(Older.class));
    }

    @Test
    void a_release_with_neither_counts_as_not_set() {
        assertFalse(GlobalTelemetry.isSet(Object.class));
    }

    @Test
    void looking_does_not_set_the_global_one() {
        assertEquals(Optional.empty(), GlobalTelemetry.find());
        assertFalse(GlobalOpenTelemetry.isSet());
    }
}
