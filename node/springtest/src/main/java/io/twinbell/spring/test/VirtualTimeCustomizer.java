package io.twinbell.spring.test;

import io.twinbell.test.TestScheduler;

/**
 * A bean of this type changes the scheduler of a test before it starts: stand-ins for handlers of type {@code http}, how long
 * runs take, limits and calendars. The start is that of {@link VirtualTime}.
 */
@FunctionalInterface
public interface VirtualTimeCustomizer {
    void customize(TestScheduler.Builder scheduler);
}
