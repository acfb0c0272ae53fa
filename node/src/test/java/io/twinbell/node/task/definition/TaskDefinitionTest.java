package io.twinbell.node.task.definition;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.twinbell.node.schedule.Calendars;
import io.twinbell.node.task.TaskReader;
import org.junit.jupiter.api.Test;

class TaskDefinitionTest {
    private static TaskDefinition definition(String json) {
        return TaskReader.definition("app", "name", json, Calendars.NONE);
    }

    private static TaskDefinition java(String key, String more) {
        return definition("{\"schedule\": {\"cron\": \"* * * * * ?\"}, \"start\": \"2027-03-01T12:00:00.000Z\","
                + " \"handler\": {\"type\": \"java\", \"key\": \"" + key + "\"}" + more + "}");
    }

    private static TaskDefinition sql(String parameter) {
        return definition("{\"schedule\": {\"every\": \"PT1S\"}, \"start\": \"2027-03-01T12:00:00.000Z\","
                + " \"handler\": {\"type\": \"sql\", \"statement\": \"insert into t values (:v)\","
                + " \"parameters\": {\"v\": " + parameter + "}}}");
    }

    @Test
    void only_equal_values_are_shared() {
        TaskDefinition one = java("k", "");
        TaskDefinition other = java("k", ", \"priority\": 9, \"retry\": {\"maxAttempts\": 1}");
        TaskDefinition shared = other.sharing(one);
        assertSame(one.handler(), shared.handler());
        assertSame(one.retry(), shared.retry());
        assertSame(one.misfire(), shared.misfire());
        assertEquals(9, shared.contentionPolicy().priority());
        assertNotSame(one.handler(), java("l", "").sharing(one).handler());
        assertEquals("l", ((HandlerSpec.JavaCode) java("l", "").sharing(one).handler()).key());
    }

    @Test
    void a_number_keeps_its_own_digits() {
        TaskDefinition shared = sql("1.10").sharing(sql("1.1"));
        assertEquals(
                "1.10",
                ((HandlerSpec.Sql) shared.handler()).parameters().get("v").toString());
    }
}
