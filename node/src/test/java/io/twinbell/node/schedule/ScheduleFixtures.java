package io.twinbell.node.schedule;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.engine.task.Schedule;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongUnaryOperator;

/** Short ways to say what the tests of this package begin with. */
final class ScheduleFixtures {
    private ScheduleFixtures() {}

    static ObjectNode json(String... namesAndValues) {
        ObjectNode object = JsonNodeFactory.instance.objectNode();
        for (int i = 0; i < namesAndValues.length; i += 2) {
            object.put(namesAndValues[i], namesAndValues[i + 1]);
        }
        return object;
    }

    /** From 1970 on, under the identity "app/name". */
    static Schedule schedule(String... namesAndValues) {
        return Schedules.parse(json(namesAndValues), Window.from(0), "app/name");
    }

    static Schedule schedule(Window window, String... namesAndValues) {
        return Schedules.parse(json(namesAndValues), window, "app/name");
    }

    static Schedule cron(String expression) {
        return schedule("cron", expression);
    }

    static long at(String instant) {
        return Instant.parse(instant).toEpochMilli();
    }

    /** The fire times after an instant, as {@code 2026-03-29T01:00:00Z}. */
    static List<String> fires(Schedule schedule, String after, int count) {
        return fires(schedule::next, after, count);
    }

    static List<String> fires(LongUnaryOperator next, String after, int count) {
        List<String> fires = new ArrayList<>();
        long fire = next.applyAsLong(at(after));
        while (fires.size() < count && fire != Schedule.NEVER) {
            fires.add(Instant.ofEpochMilli(fire).toString());
            fire = next.applyAsLong(fire);
        }
        return fires;
    }

    /** The next fire times after an instant are these. */
    static void assertFires(Schedule schedule, String after, String... expected) {
        assertFires(schedule::next, after, expected);
    }

    static void assertFires(LongUnaryOperator next, String after, String... expected) {
        assertEquals(List.of(expected), fires(next, after, expected.length));
    }
}
