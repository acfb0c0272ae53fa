package io.twinbell.node.compile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.twinbell.node.engine.task.TaskDefinition;
import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.schedule.Calendars;
import io.twinbell.node.task.TaskReader;
import io.twinbell.persistence.task.DefinitionParts;
import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DefinitionCompilerTest {
    private static final long NOON = Instant.parse("2027-03-01T12:00:00Z").toEpochMilli();
    private static final String JAVA = "{\"handler\": {\"key\": \"k\", \"type\": \"java\"}, \"schedule\": {}}";

    private final DefinitionCompiler compiler = new DefinitionCompiler();

    private static DefinitionParts parts(String shared, String data, long atMillis) {
        return new DefinitionParts(shared, data, OptionalLong.of(NOON), OptionalLong.of(atMillis));
    }

    private TaskDefinition compiled(String app, DefinitionParts parts) {
        return compiler.compile(app, "name", parts).definition();
    }

    private static TaskDefinition read(DefinitionParts parts) {
        return TaskReader.definition("app", "name", parts, Calendars.NONE);
    }

    @Test
    void what_one_shots_share_is_compiled_once() {
        TaskDefinition first = compiled("app", parts(JAVA, "{\"order\": 1}", NOON));
        DefinitionParts other = parts(JAVA, "{\"a\": [1.50, {}]}", NOON + 7);
        TaskDefinition second = compiled("app", other);
        assertSame(first.handler(), second.handler());
        assertSame(first.followers(), second.followers());
        assertEquals("{\"order\":1}", first.data());
        assertEquals("{\"a\":[1.50,{}]}", second.data());
        assertEquals(read(other), second);
        assertNotSame(
                first.handler(),
                compiled("app", parts(JAVA.replace("{}", "{\"past\": \"FIRE\"}"), null, NOON))
                        .handler());
    }

    @Test
    void a_follower_without_an_app_is_one_of_the_tasks_own_app() {
        String chained = JAVA.replace("}, \"schedule", "}, \"then\": [{\"name\": \"name\"}], \"schedule");
        TaskDefinition first = compiled("app", parts(chained, null, NOON));
        TaskDefinition second = compiled("other", parts(chained, null, NOON));
        assertNotSame(first.handler(), second.handler());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"handler\": {\"type\": \"log\"}, \"schedule\": {}}",
                "{\"handler\": {\"type\": \"log\", \"message\": \"{{data.b}}\"}, \"schedule\": {}}",
                "{\"handler\": {\"type\": \"http\", \"url\": \"http://h/x\"}, \"schedule\": {}}",
                "{\"handler\": {\"type\": \"java\", \"key\": \"k\"}, \"schedule\": {}}",
                "{\"handler\": {\"type\": \"java\", \"key\": \"k\"}, \"schedule\": {\"past\": \"REFUSE\"}}",
                "{\"handler\": {\"type\": \"java\", \"key\": \"k\"}, \"schedule\": {}, \"end\": \"2027-03-01T12:00:00.004Z\"}",
                "{\"handler\": {\"type\": \"java\", \"key\": \"k\"}, \"schedule\": {}, \"jitter\": \"PT1M\"}",
                "{\"handler\": {\"type\": \"java\", \"key\": \"k\"}, \"schedule\": {\"every\": \"PT1M\"}}",
                "{\"handler\": {\"type\": \"java\"}, \"schedule\": {}}",
            })
    void it_reads_each_task_as_if_it_were_the_first_of_its_definition(String shared) {
        SplittableRandom random = new SplittableRandom(7);
        List<Long> instants = List.of(
                NOON,
                NOON + 7,
                0L,
                NOON - 1,
                Instant.parse("2199-12-31T23:59:59.999Z").toEpochMilli());
        String deep = "[".repeat(101) + "]".repeat(101);
        String[] data = {null, "{\"b\": 1}", "{\"b\": [1.50, {}]}", "\"a } \\\\\\\" {, }\"", "12", "null", deep};
        for (int time = 0; time < 200; time++) {
            DefinitionParts parts = new DefinitionParts(
                    shared,
                    data[random.nextInt(data.length)],
                    OptionalLong.of(instants.get(random.nextInt(instants.size()))),
                    random.nextInt(5) == 0
                            ? OptionalLong.empty()
                            : OptionalLong.of(instants.get(random.nextInt(instants.size()))));
            DefinitionCompiler.Compiled compiled = compiler.compile("app", "name", parts);
            Object outcome = compiled.definition() == null ? compiled.error() : compiled.definition();
            assertEquals(outcome(parts), outcome, parts.toString());
        }
    }

    private static Object outcome(DefinitionParts parts) {
        try {
            return read(parts);
        } catch (InvalidJsonException e) {
            return e.getMessage();
        }
    }
}
