package io.twinbell.node.api;

import static io.twinbell.node.api.ApiFixture.assertStatus;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.node.api.ApiFixture.Reply;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StandingPauseApiTest {
    @AutoClose
    private static final ApiFixture api = new ApiFixture();

    @BeforeEach
    void clear() {
        api.clear();
    }

    private static Reply put(String key, String body) {
        return api.json("PUT", "/api/v1/pauses/" + key, body);
    }

    @Test
    void a_pause_is_set_listed_changed_and_ended() {
        Reply set = put("app:shop", "{\"reason\":\"stocktaking\",\"by\":\"bob\"}");
        assertStatus(201, set);
        String since = set.text("/since");
        Reply changed = put("app:shop", "{\"reason\":\"audit\",\"by\":\"ann\",\"until\":\"2100-01-01T00:00:00Z\"}");
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
        assertStatus(400, put(key, "{}"));
    }

    @Test
    void why_names_the_pause_of_a_future_fire_time() {
        put("handler:log", "{\"reason\":\"stocktaking\",\"by\":\"bob\"}");
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
