package io.twinbell.node.api;

import static io.twinbell.node.api.ApiFixture.assertStatus;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.node.api.ApiFixture.Reply;
import io.twinbell.persistence.limit.LimitKey;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LimitApiTest {
    @RegisterExtension
    static final ApiFixture api = new ApiFixture();

    private static Reply put(String key, String body) {
        return api.json("PUT", "/api/v1/limits/" + key, body);
    }

    @Test
    void a_limit_is_set_shown_replaced_and_lifted() {
        Reply set = put("db1", "{\"maxRunning\":5}");
        assertStatus(201, set);
        assertEquals(
                "/api/v1/limits/db1", set.raw().headers().firstValue("Location").orElse("none"));
        assertEquals(5, set.number("/maxRunning"));
        assertTrue(set.body().get("rate").isNull());
        Reply replaced = put("db1", "{\"maxRunning\":2,\"rate\":{\"max\":100,\"per\":\"PT1M\"}}");
        assertStatus(200, replaced);
        JsonNode shown = api.get("/api/v1/limits/db1").body();
        assertEquals(2, shown.get("maxRunning").intValue());
        assertEquals("{\"max\":100,\"per\":\"PT1M\"}", shown.get("rate").toString());
        assertEquals(1, api.get("/api/v1/limits").body().get("items").size());
        assertStatus(204, api.delete("/api/v1/limits/db1"));
        assertStatus(404, api.get("/api/v1/limits/db1"));
        assertStatus(404, api.delete("/api/v1/limits/db1"));
    }

    @Test
    void it_tells_how_many_run_and_wait() {
        put("tag:nightly", "{\"maxRunning\":1}");
        put("db1", "{\"maxRunning\":1}");
        put("handler:log", "{\"maxRunning\":9}");
        long id = api.post(
                        "/api/v1/tasks",
                        "{\"app\":\"a\",\"name\":\"n\",\"tags\":[\"nightly\"],"
                                + "\"concurrencyKey\":\"db1\",\"schedule\":{\"every\":\"PT1H\"},\"handler\":{\"type\":\"log\"}}")
                .body()
                .get("id")
                .longValue();
        api.execute("insert into twinbell.execution (task_id, fire_time, app, name, state, epoch) values (" + id
                + ", now() - interval '1 minute', 'a', 'n', 'RUNNING', 1);"
                + " insert into twinbell.execution (task_id, fire_time, app, name, state, held_by) values (" + id
                + ", now() - interval '2 minutes', 'a', 'n', 'PENDING', 'db1');"
                + " update twinbell.task_state set next_fire_time = now() - interval '3 minutes'");
        assertEquals("1 2", use("db1"));
        assertEquals("1 1", use("tag:nightly"));
        assertEquals("1 1", use("handler:log"));
        JsonNode waiting =
                api.get("/api/v1/executions?state=PENDING").body().get("items").get(0);
        assertEquals(
                "waits for room under the limit \"db1\"", waiting.get("reason").textValue());
        JsonNode running =
                api.get("/api/v1/executions?state=RUNNING").body().get("items").get(0);
        assertTrue(running.get("reason").isNull());
        api.execute("update twinbell.execution set held_by = E'\\x01quota:a' where held_by = 'db1'");
        assertEquals(
                "waits because the app has used its quotas.firesPerMinute",
                api.get("/api/v1/executions?state=PENDING")
                        .body()
                        .get("items")
                        .get(0)
                        .get("reason")
                        .textValue());
    }

    private static String use(String key) {
        JsonNode limit = api.get("/api/v1/limits/" + key).body();
        return limit.get("running") + " " + limit.get("waiting");
    }

    @Test
    void every_key_of_a_task_is_known_to_the_database_as_it_is_to_the_engine() {
        api.execute("insert into twinbell.full_task (app, name, handler_type, handler_key, tags, definition) values"
                + " ('a', 'n', 'java', 'invoice.close', '{x,y}', '{\"concurrencyKey\": \"db1\"}')");
        assertEquals(
                LimitKey.of("a", List.of("x", "y"), "java", "invoice.close", "db1").stream()
                        .sorted()
                        .toList()
                        .toString(),
                "["
                        + api.text("select string_agg(k, ', ' order by k collate \"C\") from twinbell.task t"
                                + " join twinbell.definition d on d.id = t.definition_id,"
                                + " unnest(twinbell.limit_keys(t.app, d)) as k")
                        + "]");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            {} | maxRunning, rate or both
            {"maxRunning":0} | from 1 to 100000
            {"maxRunning":"2"} | whole number
            {"maxRuning":2} | did you mean
            {"rate":{"max":5}} | is required
            {"rate":{"per":"PT1S"}} | is required
            {"rate":{"max":5,"per":"PT0.01S"}} | must lie between
            {"rate":{"max":5,"per":"PT25H"}} | must lie between
            {"rate":{"max":5,"per":"PT1S","burst":9}} | unknown field
            {"rate":7} | must be a JSON object
            """)
    void a_senseless_request_is_refused_and_sets_nothing(String body, String why) {
        Reply refused = put("db1", body);
        assertStatus(400, refused);
        assertTrue(refused.body().toString().contains(why), refused.body().toString());
        assertStatus(404, api.get("/api/v1/limits/db1"));
    }

    @Test
    void a_key_may_be_any_text_and_a_prefix_needs_a_name() {
        assertStatus(201, put("m%C3%BCller%20%26%20co", "{\"maxRunning\":1}"));
        assertStatus(200, api.get("/api/v1/limits/m%C3%BCller%20%26%20co"));
        assertStatus(400, put("app:", "{\"maxRunning\":1}"));
        assertStatus(400, put("x".repeat(201), "{\"maxRunning\":1}"));
        assertStatus(201, put("tag:" + "x".repeat(200), "{\"maxRunning\":1}"));
    }

    private static Reply pause(String key, String body) {
        return api.json("PUT", "/api/v1/pauses/" + key, body);
    }

    @Test
    void a_pause_is_set_listed_changed_and_ended() {
        Reply set = pause("app:shop", "{\"reason\":\"stocktaking\",\"by\":\"bob\"}");
        assertStatus(201, set);
        String since = set.text("/since");
        Reply changed = pause("app:shop", "{\"reason\":\"audit\",\"by\":\"ann\",\"until\":\"2100-01-01T00:00:00Z\"}");
        assertStatus(200, changed);
        JsonNode listed = api.get("/api/v1/pauses").body().get("items").get(0);
        assertEquals(
                "{\"key\":\"app:shop\",\"since\":\"" + since
                        + "\",\"until\":\"2100-01-01T00:00:00.000Z\",\"reason\":\"audit\",\"by\":\"ann\"}",
                listed.toString());
        assertEquals(listed, api.get("/api/v1/pauses/app:shop").body());
        assertStatus(204, api.delete("/api/v1/pauses/app:shop"));
        assertStatus(404, api.delete("/api/v1/pauses/app:shop"));
        assertStatus(404, api.get("/api/v1/pauses/app:shop"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"shop", "owner:x", "app:", "tag:%0A"})
    void a_key_that_names_no_app_tag_or_handler_is_refused(String key) {
        assertStatus(400, pause(key, "{}"));
    }

    @Test
    void why_names_the_pause_of_a_future_fire_time() {
        pause("handler:log", "{\"reason\":\"stocktaking\",\"by\":\"bob\"}");
        Instant at = Instant.now().plusSeconds(600).truncatedTo(ChronoUnit.SECONDS);
        long id = api.post(
                        "/api/v1/tasks",
                        "{\"app\":\"a\",\"name\":\"n\",\"schedule\":{\"at\":\"" + at
                                + "\"},\"handler\":{\"type\":\"log\"}}")
                .body()
                .get("id")
                .longValue();
        JsonNode why = api.get("/api/v1/tasks/" + id + "/why?at=" + at).body();
        assertEquals("FIRING_PAUSED", why.get("cause").asText());
        String sentence = why.get("sentence").asText();
        assertTrue(
                sentence.startsWith("Firing of handler:log is paused since ")
                        && sentence.contains("by bob: stocktaking"),
                sentence);
    }
}
