package io.twinbell.node.task;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.node.engine.task.OrphanPolicy;
import io.twinbell.node.engine.task.Overlap;
import io.twinbell.node.engine.task.TaskDefinition;
import io.twinbell.node.json.FieldError;
import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.json.StrictJson;
import io.twinbell.node.schedule.Calendars;
import io.twinbell.node.task.definition.HandlerSpec;
import io.twinbell.node.template.BodyTemplate;
import io.twinbell.node.template.Template;
import io.twinbell.node.template.UrlTemplate;
import io.twinbell.persistence.task.NewTask;
import io.twinbell.persistence.task.TaskState;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class TaskReaderTest {
    private static final long NOON = 1_772_366_400_000L;

    private static NewTask read(String json) {
        return TaskReader.newTask(StrictJson.read(json.getBytes(StandardCharsets.UTF_8)), NOON, Calendars.NONE);
    }

    private static TaskDefinition stored(NewTask task) {
        return TaskReader.definition(
                task.content().app(), task.content().name(), task.content().definition(), Calendars.NONE);
    }

    @Test
    void a_template_may_name_what_a_follower_finds_in_its_data() {
        String task = """
                {"app":"a","name":"n","schedule":{"at":"2199-01-01T00:00:00Z"}%s,
                 "handler":{"type":"http","method":"POST","url":"http://h:1/x?of=${data.parent.task.name}",
                  "headers":{"X-Root":"${data.parent.root.fireTime}"},"body":"{\\"out\\":${data.parent.output}%s}"}}""";
        read(task.formatted("", ""));
        read(task.formatted(",\"data\":{\"own\":1}", ",\\\"own\\\":${data.own}"));
        read(task.formatted(",\"data\":[1]", ",\\\"own\\\":${data.value.0}"));
        for (String unknown : List.of("${data.parent.outputs}", "${data.own}", "${data.value}", "${data}")) {
            InvalidJsonException refused = assertThrows(
                    InvalidJsonException.class, () -> read(task.formatted("", ",\\\"more\\\":" + unknown)));
            assertEquals("/handler/body", refused.errors().get(0).pointer(), unknown);
        }
    }

    @Test
    void a_stored_text_means_what_was_written() {
        NewTask task = read("""
                {"app":"a","name":"n","schedule":{"every":"PT1M"},"data":{"b":[1.50]},"timeout":"PT3S",
                 "handler":{"type":"http","method":"PUT","url":"http://h:1/x","headers":{"A":"b"},"body":"c"},
                 "misfire":{"threshold":"PT0S"},"overlap":"ALLOW","orphan":"RERUN"}""");
        TaskDefinition definition = stored(task);
        assertAll(
                () -> assertEquals(NOON + 60_000, definition.schedule().next(NOON)),
                () -> assertEquals(
                        new HandlerSpec.HttpCall(
                                "PUT",
                                UrlTemplate.parse("http://h:1/x"),
                                Map.of("A", Template.parse("b")),
                                BodyTemplate.parse("c", null),
                                HandlerSpec.HttpRules.DEFAULT),
                        definition.handler()),
                () -> assertEquals(Duration.ofSeconds(3), definition.timeout()),
                () -> assertEquals(Duration.ZERO, definition.misfire().threshold()),
                () -> assertEquals(Overlap.ALLOW, definition.overlap()),
                () -> assertEquals(OrphanPolicy.RERUN, definition.orphan()),
                () -> assertEquals("{\"b\":[1.50]}", definition.data()));
    }

    @Test
    void only_http_has_a_timeout_by_default() {
        NewTask log =
                read("{\"app\":\"a\",\"name\":\"n\",\"schedule\":{\"every\":\"PT1M\"},\"handler\":{\"type\":\"log\"}}");
        assertNull(stored(log).timeout());
        assertNull(stored(log).data());
        assertEquals("log", log.content().handlerType());
        NewTask http = read(
                "{\"app\":\"a\",\"name\":\"n\",\"schedule\":{\"every\":\"PT1M\"},\"handler\":{\"type\":\"http\",\"url\":\"http://h\"}}");
        assertEquals(Duration.ofSeconds(30), stored(http).timeout());
    }

    @Test
    void a_java_handler_is_found_by_its_key() {
        NewTask task = read(
                "{\"app\":\"a\",\"name\":\"n\",\"schedule\":{\"in\":\"PT48H\"},\"handler\":{\"type\":\"java\",\"key\":\"k\"}}");
        assertEquals("k", task.content().handlerKey());
        assertEquals(
                "k",
                assertInstanceOf(HandlerSpec.JavaCode.class, stored(task).handler())
                        .key());
        assertEquals(OptionalLong.of(NOON + 48 * 3_600_000L), task.progress().nextFireMillis());
        assertEquals(NOON + 48 * 3_600_000L, stored(task).schedule().next(NOON), "the start was stored");
    }

    @Test
    void a_call_with_a_body_is_a_post_unless_it_says_otherwise() {
        String task =
                "{\"app\":\"a\",\"name\":\"n\",\"schedule\":{\"every\":\"PT1M\"},\"handler\":{\"type\":\"http\",\"url\":\"http://h\",\"body\":\"\"}}";
        assertEquals("POST", ((HandlerSpec.HttpCall) stored(read(task)).handler()).method());
    }

    @Test
    void a_start_in_the_future_is_the_first_fire_time_of_an_interval() {
        NewTask task = read(
                "{\"app\":\"a\",\"name\":\"n\",\"start\":\"2100-01-01T00:00:00Z\",\"schedule\":{\"every\":\"PT1M\"},\"handler\":{\"type\":\"log\"}}");
        assertEquals(4_102_444_800_000L, task.progress().nextFireMillis().getAsLong());
        assertEquals(TaskState.ACTIVE, task.progress().state());
    }

    @Test
    void content_of_another_build_is_refused_by_name_and_not_ignored() {
        InvalidJsonException refusal = assertThrows(
                InvalidJsonException.class,
                () -> TaskReader.definition(
                        "a",
                        "n",
                        "{\"schedule\":{\"every\":\"PT1M\"},\"start\":\"2026-01-01T00:00:00Z\",\"handler\":{\"type\":\"log\"},\"color\":1}",
                        Calendars.NONE));
        assertEquals("/color: unknown field", refusal.getMessage());
        assertThrows(InvalidJsonException.class, () -> TaskReader.definition("a", "n", "not json", Calendars.NONE));
        assertThrows(InvalidJsonException.class, () -> TaskReader.definition("a", "n", "[]", Calendars.NONE));
    }

    private static String followedBy(String links) {
        return "{\"app\":\"a\",\"name\":\"n\",\"schedule\":{\"every\":\"PT1M\"},\"handler\":{\"type\":\"log\"}," + links
                + "}";
    }

    @Test
    void followers_are_stored_with_their_app_and_once() {
        NewTask task = read(
                followedBy("\"then\":[\"x\",{\"name\":\"x\"},{\"app\":\"b\",\"name\":\"y\"}],\"thenOnFailure\":[]"));
        JsonNode definition = StrictJson.readStored(task.content().definition());
        assertEquals(
                "[{\"app\":\"a\",\"name\":\"x\"},{\"app\":\"b\",\"name\":\"y\"}]",
                definition.get("then").toString());
        assertNull(definition.get("thenOnFailure"));
        assertInstanceOf(HandlerSpec.LogLine.class, stored(task).handler());
    }

    @Test
    void followers_that_name_no_task_are_refused_each_by_its_place() {
        InvalidJsonException refusal = assertThrows(
                InvalidJsonException.class,
                () -> read(followedBy(
                        "\"then\":[\"\",5,{\"app\":\"b\"},{\"name\":\"x\",\"id\":1}],\"thenOnFailure\":\"x\"")));
        assertEquals(
                List.of("/then/0", "/then/1", "/then/2/name", "/then/3/id", "/thenOnFailure"),
                refusal.errors().stream().map(FieldError::pointer).toList());
    }

    @Test
    void an_empty_list_where_a_list_is_optional_is_none() {
        String plain = """
                {"app":"a","name":"n","schedule":{"cron":"0 4 * * *"%s},"retry":{"maxAttempts":3%s},
                 "handler":{"type":"http","url":"http://127.0.0.1/"%s}}""";
        assertEquals(
                read(plain.formatted("", "", "")).content(),
                read(plain.formatted(
                                ",\"rdate\":[],\"exdate\":[]", ",\"onlyOn\":[],\"notOn\":[]", ",\"successCodes\":[]"))
                        .content());
    }
}
