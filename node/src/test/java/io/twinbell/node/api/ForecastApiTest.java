package io.twinbell.node.api;

import static io.twinbell.node.api.ApiFixture.assertStatus;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.node.api.ApiFixture.Reply;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** The sums of the coming days. */
class ForecastApiTest {
    private final Instant noon = Instant.now().plus(Duration.ofHours(3)).truncatedTo(ChronoUnit.HOURS);

    @AutoClose
    private final ApiFixture api = new ApiFixture();

    private void task(String name, String schedule, String more) {
        Reply created = api.post(
                "/api/v1/tasks",
                "{\"app\":\"a\",\"name\":\"" + name + "\",\"schedule\":" + schedule
                        + ",\"handler\":{\"type\":\"log\",\"message\":\"x\"}" + more + "}");
        assertStatus(201, created);
    }

    private JsonNode forecast(String query) {
        Reply reply = api.get("/api/v1/forecast?from=" + noon + query);
        assertStatus(200, reply);
        return reply.body();
    }

    @Test
    void the_busiest_minute_is_named_with_its_tasks_and_its_peak() {
        task("every", "{\"every\":\"PT1M\",\"align\":\"PT1M\"}", "");
        for (String name : new String[] {"one", "two"}) {
            task(name, "{\"at\":\"" + noon.plusSeconds(3600) + "\"}", "");
        }
        JsonNode answer = forecast("");
        assertTrue(answer.get("complete").asBoolean());
        assertEquals(1442, answer.get("runs").asInt());
        JsonNode busiest = answer.get("busiestMinutes").get(0);
        assertEquals(noon.plusSeconds(3600), Instant.parse(busiest.get("at").asText()));
        assertEquals(3, busiest.get("peakRuns").asInt());
        assertEquals(3, busiest.get("first").size());
        assertEquals(2, answer.get("endingTasks").asInt());
        assertEquals(62, answer.get("hours").get(1).get("runs").asInt());
    }

    @Test
    void runs_of_chains_are_counted_with_their_own_limits_and_skips() {
        String never = "{\"at\":\"2199-01-01T00:00:00Z\"}";
        task("leaf", never, "");
        task("off", never, ",\"enabled\":false");
        task("middle", never, ",\"then\":[\"leaf\",\"off\",\"gone\",{\"app\":\"b\",\"name\":\"away\"}]");
        task("root", "{\"every\":\"PT1H\",\"align\":\"PT1H\"}", ",\"then\":[\"middle\",\"leaf\"]");
        assertStatus(201, api.json("PUT", "/api/v1/limits/app:a", "{\"rate\":{\"max\":3,\"per\":\"PT1M\"}}"));
        JsonNode answer = forecast("");
        assertEquals(24 * 4, answer.get("runs").asInt(), "root, middle and leaf twice, each hour");
        assertEquals(24, answer.get("skippedSlots").asInt(), "a paused follower");
        assertEquals("off", answer.at("/skips/0/name").asText());
        assertEquals(4, answer.at("/busiestMinutes/0/peakRuns").asInt());
        assertEquals("app:a", answer.at("/limits/0/key").asText());
    }

    @Test
    void a_chain_that_is_a_cycle_ends_as_in_the_ledger() {
        String never = "{\"at\":\"2199-01-01T00:00:00Z\"}";
        task("self", never, ",\"then\":[\"self\"]");
        task("once", "{\"at\":\"" + noon.plusSeconds(60) + "\"}", ",\"then\":[\"self\"]");
        assertEquals(101, forecast("").get("runs").asInt());

        for (String name : new String[] {"x", "y", "z", "w"}) {
            task(name, never, ",\"then\":[\"x\",\"y\",\"z\",\"w\"]");
        }
        task("wide", "{\"at\":\"" + noon.plusSeconds(120) + "\"}", ",\"then\":[\"x\"]");
        assertEquals(101 + 2 + 10_000, forecast("").get("runs").asInt(), "wide, its follower and those that count");
    }

    @Test
    void a_limit_that_demand_exceeds_is_shown_with_its_first_instant() {
        assertStatus(
                201, api.json("PUT", "/api/v1/limits/db", "{\"maxRunning\":1,\"rate\":{\"max\":1,\"per\":\"PT1H\"}}"));
        for (String name : new String[] {"one", "two"}) {
            task(name, "{\"at\":\"" + noon.plusSeconds(60) + "\"}", ",\"concurrencyKey\":\"db\"");
        }
        JsonNode limits = forecast("").get("limits");
        assertEquals(2, limits.size(), limits.toString());
        assertEquals(2, limits.get(0).get("demand").asInt());
        assertEquals(
                noon.plusSeconds(60), Instant.parse(limits.get(0).get("firstAt").asText()));
        assertEquals("PT1H", limits.get(1).get("binds").asText());
    }

    @Test
    void minutes_and_hours_are_those_of_the_clock_whatever_the_begin() {
        task("once", "{\"at\":\"" + noon.plusSeconds(3600) + "\"}", "");
        Reply reply = api.get("/api/v1/forecast?from=" + noon.plusMillis(1_234_567));
        JsonNode answer = reply.body();
        assertEquals(
                noon.plusSeconds(3600),
                Instant.parse(answer.get("busiestMinutes").get(0).get("at").asText()));
        assertEquals(
                noon.plusSeconds(3600),
                Instant.parse(answer.get("hours").get(0).get("at").asText()));
        assertEquals("PT1S", answer.get("limitStep").asText());
    }

    @Test
    void a_span_that_is_too_long_or_has_passed_is_refused() {
        assertStatus(400, api.get("/api/v1/forecast?days=31"));
        assertStatus(400, api.get("/api/v1/forecast?from=2026-01-01T00:00:00Z"));
    }
}
