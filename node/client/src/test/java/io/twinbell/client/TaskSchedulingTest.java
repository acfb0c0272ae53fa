package io.twinbell.client;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The chain that describes and stores one task. */
class TaskSchedulingTest {
    private static boolean isMarked(Method method) {
        return method.isAnnotationPresent(TaskScheduling.CheckReturnValue.class);
    }

    @Test
    void tools_warn_of_each_step_that_stores_nothing_and_of_no_other() {
        Set<String> unmarked = Stream.of(TaskScheduling.class.getDeclaredMethods())
                .filter(method -> Modifier.isPublic(method.getModifiers()) && !isMarked(method))
                .map(Method::getName)
                .collect(Collectors.toSet());
        assertEquals(Set.of("named", "unnamed"), unmarked);
        Set<String> marked = Stream.of(TaskClient.class.getDeclaredMethods())
                .filter(TaskSchedulingTest::isMarked)
                .map(Method::getName)
                .collect(Collectors.toSet());
        assertEquals(Set.of("schedule"), marked);
    }

    /** IntelliJ IDEA and Error Prone know it by this name. */
    @Test
    void the_mark_has_the_name_that_tools_know() {
        assertEquals("CheckReturnValue", TaskScheduling.CheckReturnValue.class.getSimpleName());
    }
}
