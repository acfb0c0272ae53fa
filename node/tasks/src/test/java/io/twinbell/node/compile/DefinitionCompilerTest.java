package io.twinbell.node.compile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.twinbell.node.engine.task.TaskDefinition;
import io.twinbell.node.task.definition.HandlerSpec;
import org.junit.jupiter.api.Test;

class DefinitionCompilerTest {
    private final DefinitionCompiler compiler = new DefinitionCompiler();

    private TaskDefinition compiled(String json) {
        return compiler.compile("app", "name", json).definition();
    }

    private TaskDefinition java(String key, String more) {
        return compiled("{\"schedule\": {\"cron\": \"* * * * * ?\"}, \"start\": \"2027-03-01T12:00:00.000Z\","
                + " \"handler\": {\"type\": \"java\", \"key\": \"" + key + "\"}" + more + "}");
    }

    private TaskDefinition sql(String parameter) {
        return compiled("{\"schedule\": {\"every\": \"PT1S\"}, \"start\": \"2027-03-01T12:00:00.000Z\","
                + " \"handler\": {\"type\": \"sql\", \"statement\": \"insert into t values (:v)\","
                + " \"parameters\": {\"v\": " + parameter + "}}}");
    }

    @Test
    void definitions_compiled_one_after_the_other_share_only_equal_values() {
        TaskDefinition one = java("k", "");
        TaskDefinition shared = java("k", ", \"priority\": 9, \"retry\": {\"maxAttempts\": 1}");
        assertSame(one.handler(), shared.handler());
        assertSame(one.retry(), shared.retry());
        assertSame(one.misfire(), shared.misfire());
        assertEquals(9, shared.contentionPolicy().priority());
        TaskDefinition other = java("l", "");
        assertNotSame(shared.handler(), other.handler());
        assertEquals("l", other.handler().key());
    }

    @Test
    void a_number_keeps_its_own_digits() {
        sql("1.1");
        TaskDefinition shared = sql("1.10");
        assertEquals(
                "1.10",
                ((HandlerSpec.Sql) shared.handler()).parameters().get("v").toString());
    }
}
