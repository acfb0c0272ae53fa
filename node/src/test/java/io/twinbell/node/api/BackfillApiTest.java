package io.twinbell.node.api;

import static io.twinbell.node.api.ApiFixture.assertStatus;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.node.api.ApiFixture.Reply;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class BackfillApiTest {
    private static final Instant DAY =
            Instant.now().truncatedTo(ChronoUnit.DAYS).minus(3, ChronoUnit.DAYS);

    @RegisterExtension
    static final ApiFixture api = new ApiFixture();

    private static long task(String schedule) {
        return api.post(
                        "/api/v1/tasks",
                        "{\"app\":\"a\",\"name\":\"n\",\"schedule\":" + schedule + ",\"handler\":{\"type\":\"log\"}}")
                .body()
                .get("id")
                .longValue();
    }

    private static Reply backfill(long id, Instant from, Instant to, String more) {
        return api.post(
                "/api/v1/tasks/" + id + "/backfill", "{\"from\":\"" + from + "\",\"to\":\"" + to + "\"" + more + "}");
    }

    @Test
    void slots_before_the_creation_are_shown_entered_once_and_cancelled() {
        long id = task("{\"cron\":\"0 0 * * * ?\"}");
        Instant end = DAY.plus(5, ChronoUnit.HOURS);
        JsonNode shown = backfill(id, DAY, end, ",\"dryRun\":true").body();
        assertEquals(5, shown.get("entered").asInt());
        assertEquals(0, api.get("/api/v1/executions").body().get("items").size());
        // An earlier row, and one that stands for two slots.
        api.execute("insert into twinbell.execution (task_id, fire_time, app, name, state) values (" + id + ", '" + DAY
                + "', 'a', 'n', 'SUCCEEDED'); insert into twinbell.execution (task_id, fire_time, until_fire_time,"
                + " slots, app, name, state) values (" + id + ", '" + DAY.plus(2, ChronoUnit.HOURS) + "', '"
                + DAY.plus(3, ChronoUnit.HOURS) + "', 2, 'a', 'n', 'SKIPPED')");
        JsonNode entered = backfill(id, DAY, end, ",\"reason\":\"new report\",\"pace\":\"PT1M\"")
                .body();
        assertEquals(5, entered.get("slots").asInt());
        assertEquals(2, entered.get("entered").asInt());
        JsonNode row = api.get("/api/v1/executions?state=PENDING&order=oldest")
                .body()
                .get("items")
                .get(0);
        assertEquals("BACKFILLED", row.get("origin").asText());
        assertEquals(
                DAY.plus(1, ChronoUnit.HOURS), Instant.parse(row.get("fireTime").asText()));
        assertEquals("backfilled: new report", row.get("reason").asText());
        assertEquals(0, backfill(id, DAY, end, "").number("/entered"));
        assertEquals(2, api.delete("/api/v1/apps/a/tasks/n/backfill").number("/cancelled"));
    }

    @Test
    void an_interval_continues_its_grid_backward_from_its_start() {
        long id = task("{\"every\":\"7h\"}");
        Instant start = Instant.parse(api.get("/api/v1/tasks/" + id).text("/start"));
        JsonNode shown = backfill(id, DAY, DAY.plus(1, ChronoUnit.DAYS), ",\"dryRun\":true")
                .body();
        assertTrue(shown.get("entered").asInt() >= 3, shown.toString());
        shown.get("fireTimes")
                .forEach(fire -> assertEquals(
                        0,
                        ChronoUnit.MILLIS.between(Instant.parse(fire.asText()), start) % (7 * 3_600_000),
                        fire.asText()));
    }

    @Test
    void what_has_no_past_slots_or_too_many_is_refused() {
        Instant end = DAY.plus(1, ChronoUnit.DAYS);
        assertStatus(400, backfill(task("{\"in\":\"PT1H\"}"), DAY, end, ""));
        api.clear();
        assertStatus(400, backfill(task("{\"every\":\"PT1H\",\"mode\":\"FIXED_DELAY\"}"), DAY, end, ""));
        api.clear();
        long id = task("{\"every\":\"PT1S\"}");
        assertStatus(400, backfill(id, DAY, end, ""));
        assertStatus(400, backfill(id, end, DAY, ""));
        assertStatus(400, backfill(id, DAY.minus(100, ChronoUnit.DAYS), end, ""));
        assertStatus(400, backfill(id, DAY, Instant.now().plusSeconds(60), ""));
        assertStatus(404, backfill(id + 1, DAY, end, ""));
    }

    @Test
    void a_slot_that_the_task_still_owes_is_left_to_it() {
        long id = task("{\"cron\":\"0 0 * * * ?\"}");
        api.execute("update twinbell.task_state set next_fire_time = '" + DAY.plus(1, ChronoUnit.HOURS) + "'");
        assertEquals(1, backfill(id, DAY, DAY.plus(5, ChronoUnit.HOURS), "").number("/entered"));
    }

    @Test
    void a_trigger_may_have_data_of_its_own_up_to_64_kilobytes() {
        long id = task("{\"every\":\"PT1H\"}");
        String path = "/api/v1/tasks/" + id + "/trigger";
        assertStatus(201, api.post(path, "{\"data\":{\"day\":1},\"reason\":\"by hand\"}"));
        assertStatus(400, api.post(path, "{\"data\":\"" + "x".repeat(65_536) + "\"}"));
    }
}
