package io.twinbell.node.task;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.twinbell.node.engine.task.TaskDefinition;
import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.schedule.Calendars;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OneShotParseCacheTest {
    private static final String NOON = "2027-03-01T12:00:00.000Z";
    private static final String LATER = "2027-03-01T12:00:00.007Z";
    private static final String HANDLER = "\"handler\": {\"url\": \"http://h/x\", \"type\": \"http\"}";

    private final OneShotParseCache reader = new OneShotParseCache();

    private static String at(String start, String at) {
        return "{\"start\": \"" + start + "\", " + HANDLER + ", \"schedule\": {\"at\": \"" + at + "\"}}";
    }

    private TaskDefinition read(String json) {
        return reader.read("app", "name", json, Calendars.NONE);
    }

    private static TaskDefinition parsed(String json) {
        return TaskReader.definition("app", "name", json, Calendars.NONE);
    }

    @Test
    void the_third_of_a_form_is_not_parsed_and_means_what_it_would_if_it_were() {
        read(at(NOON, NOON));
        TaskDefinition second = read(at(NOON, LATER));
        TaskDefinition third = read(at(LATER, "2199-12-31T23:59:59.999Z"));
        assertSame(second.handler(), third.handler());
        assertEquals(parsed(at(LATER, "2199-12-31T23:59:59.999Z")), third);
        TaskDefinition another = read(at(NOON, NOON).replace("/x", "/y"));
        assertNotSame(second.handler(), another.handler());
        assertEquals(parsed(at(NOON, NOON).replace("/x", "/y")), another);
    }

    @Test
    void tasks_as_the_api_stores_them_are_of_one_form() {
        String stored = "{\"retry\": {\"maxAttempts\": 1}, \"start\": \"" + NOON
                + "\", \"orphan\": \"DROP\", \"handler\": "
                + "{\"key\": \"twinbell.noop\", \"type\": \"java\"}, \"misfire\": {\"policy\": \"FIRE_ONCE\", \"threshold\": "
                + "\"PT30S\"}, \"overlap\": \"SKIP\", \"priority\": 5, \"schedule\": {\"at\": \"" + LATER + "\"}}";
        read(stored);
        assertSame(read(stored).handler(), read(stored.replace(LATER, NOON)).handler());
        String inSeconds = stored.replace(LATER, "2027-03-01T12:00:00Z");
        read(inSeconds);
        TaskDefinition second = read(inSeconds);
        TaskDefinition third = read(inSeconds.replace("12:00:00Z", "12:00:59Z"));
        assertSame(second.handler(), third.handler());
        assertEquals(parsed(inSeconds.replace("12:00:00Z", "12:00:59Z")), third);
    }

    @Test
    void similar_tasks_of_a_java_handler_may_have_other_data() {
        String stored = "{\"data\": {\"order\": 1}, \"start\": \"" + NOON
                + "\", \"handler\": {\"key\": \"k\", \"type\": \"java\"}, \"schedule\": {\"at\": \"" + LATER + "\"}}";
        read(stored);
        TaskDefinition second = read(stored.replace("1}", "4711}"));
        String tricky = stored.replace("1}", "\"}, \\\" {\", \"a\": [{}]}").replace(LATER, NOON);
        TaskDefinition third = read(tricky);
        assertSame(second.handler(), third.handler());
        assertEquals("{\"order\":4711}", second.data());
        assertEquals("{\"order\":\"}, \\\" {\",\"a\":[{}]}", third.data());
        assertEquals(parsed(tricky), third);
    }

    /** Each is read three times with other instants, after which it would be taken for one of the form before it. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"handler\": {\"type\": \"log\"}, \"schedule\": {\"at\": \"AT\"}}",
                "{\"schedule\": {\"at\": \"AT\"}, \"handler\": {\"type\": \"log\"}, \"start\": \"START\"}",
                "{\"schedule\":{\"at\":\"AT\"},\"data\":{\"schedule\": {\"at\": \"START\"}},\"handler\":{\"type\":\"log\"}}",
                "{\"schedule\": {\"at\": \"AT\"}, \"data\": {\"schedule\": {\"at\": \"START\"}}, \"handler\": {\"type\": \"log\"}}",
                "{\"schedule\": {\"at\": \"AT\"}, \"data\": {\"start\": \"START\"}, \"handler\": {\"type\": \"log\"}}",
                "{\"schedule\": {\"at\": \"AT\"}, \"data\": \"\\\"schedule\\\": {\\\"at\\\": \\\"START\\\"}\","
                        + " \"handler\": {\"type\": \"log\"}}",
                "{\"end\": \"2027-03-01T12:00:00.004Z\", \"schedule\": {\"at\": \"AT\"}, \"handler\": {\"type\": \"log\"}}",
                "{\"start\": \"START\", \"jitter\": \"PT1M\", \"schedule\": {\"at\": \"AT\"}, \"handler\": {\"type\": \"log\"}}",
                "{\"start\": \"START\", \"schedule\": {\"every\": \"PT1M\"}, \"handler\": {\"type\": \"log\"}}",
                "{\"start\": \"START\", \"schedule\": {\"in\": \"PT1M\"}, \"handler\": {\"type\": \"log\"}}",
                "{\"data\": DATA, \"start\": \"START\", \"handler\": {\"key\": \"k\", \"type\": \"java\"},"
                        + " \"schedule\": {\"at\": \"AT\"}}",
                "{\"data\": DATA, \"handler\": {\"type\": \"log\", \"message\": \"{{data.b}}\"},"
                        + " \"schedule\": {\"at\": \"AT\"}, \"start\": \"START\"}",
                "{\"data\":DATA,\"handler\":{\"key\":\"k\",\"type\":\"java\"},\"schedule\":{\"at\":\"AT\"}}",
            })
    void reads_as_the_parser_does(String form) {
        SplittableRandom random = new SplittableRandom(7);
        List<String> instants = List.of(
                NOON,
                LATER,
                "1970-01-01T00:00:00.000Z",
                "2027-02-30T12:00:00.000Z",
                "2027-03-01T24:00:00.000Z",
                "2200-01-01T00:00:00.000Z",
                "1969-12-31T23:59:59.999Z",
                "2027-03-01T12:00:00+0100",
                "2027-03-01T12:00:01Z",
                "2027-03-01T12:00:60Z",
                "a text of that length !!");
        List<String> data = List.of(
                "{\"b\": 1}",
                "{\"b\": [1.50, {}]}",
                "\"a \\\\\\\" schedule\\\": {, }\"",
                "12",
                "null",
                "{\"schedule\": {\"at\": \"START\"}}",
                "[".repeat(101) + "]".repeat(101));
        for (int time = 0; time < 300; time++) {
            String json = form.replace("DATA", data.get(random.nextInt(1 + random.nextInt(data.size()))))
                    .replace("START", instants.get(random.nextInt(instants.size())))
                    .replace("AT", instants.get(random.nextInt(3 + random.nextInt(instants.size() - 2))));
            assertEquals(outcome(() -> parsed(json)), outcome(() -> read(json)), json);
        }
    }

    private static Object outcome(Supplier<TaskDefinition> reading) {
        try {
            return reading.get();
        } catch (InvalidJsonException e) {
            return e.getMessage();
        }
    }

    @Test
    void an_invalid_task_is_refused_again_and_again() {
        for (int time = 0; time < 4; time++) {
            assertThrows(InvalidJsonException.class, () -> read(at(NOON, "2027-02-30T12:00:00.000Z")));
            read(at(NOON, NOON));
        }
    }
}
