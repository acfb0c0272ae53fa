package io.twinbell.spring.test;

import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;
import org.springframework.test.context.TestContextAnnotationUtils;

/** Finds the test classes in virtual time. Spring makes it, by {@code META-INF/spring.factories}. */
final class VirtualTimeFactory implements ContextCustomizerFactory {
    @Override
    public ContextCustomizer createContextCustomizer(
            Class<?> testClass, List<ContextConfigurationAttributes> configAttributes) {
        VirtualTime declared = TestContextAnnotationUtils.findMergedAnnotation(testClass, VirtualTime.class);
        return declared == null ? null : new VirtualTimeContext(start(declared.value(), testClass), testClass);
    }

    private static Instant start(String text, Class<?> testClass) {
        try {
            return Instant.parse(text);
        } catch (DateTimeParseException e) {
            throw new IllegalStateException(
                    "@VirtualTime(\"" + text + "\") of " + testClass.getName()
                            + " is not an instant such as 2026-03-01T00:00:00Z",
                    e);
        }
    }
}
