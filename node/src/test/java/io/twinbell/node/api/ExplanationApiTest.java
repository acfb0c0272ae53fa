package io.twinbell.node.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class ExplanationApiTest {
    private static ApiFixture api;

    @BeforeAll
    static void start() {
        api = new ApiFixture();
    }

    @AfterAll
    static void stop() {
        api.close();
    }

    private static long create(String name, String schedule, String more) {
        return api.post(
                        "/api/v1/tasks",
                        "{\"app\":\"shop\",\"name\":\"" + name + "\",\"schedule\":" + schedule + more
                                + ",\"handler\":{\"type\":\"log\"}}")
                .body()
                .get("id")
                .longValue();
    }

    private static JsonNode why(long id, String at) {
        ApiFixture.Reply reply = api.get("/api/v1/tasks/" + id + "/why?at=" + at);
        assertEquals(200, reply.status(), reply.raw().body());
        return reply.body();
    }

    private static void enter(long id, String fire, String rest) {
        api.execute("insert into twinbell.execution (task_id, fire_time, app, name, state, attempt, reason, slots,"
                + " until_fire_time, ended_at) values (" + id + ", '" + fire + "', 'shop', 'x', " + rest + ", now())");
    }

    @Test
    void a_row_that_stands_for_many_slots_explains_each_of_them() {
        long id = create("range", "{\"every\":\"PT1H\"}", ",\"start\":\"2026-01-01T00:00:00Z\"");
        String today = api.text("select to_char(now() at time zone 'UTC', 'YYYY-MM-DD')");
        enter(
                id,
                today + "T00:00:00Z",
                "'MISSED', 1, 'misfire: overdue by more than PT1M', 3, '" + today + "T02:00:00Z'");
        JsonNode explained = why(id, today + "T01:00:00Z");
        assertEquals("MISSED", explained.path("cause").asText());
        assertEquals(today + "T00:00:00.000Z", explained.path("fireTime").asText());
        assertTrue(explained.path("sentence").asText().contains("The row stands for 3 slots"), explained.toString());
        assertEquals("MISSED", explained.path("execution").path("state").asText());
    }

    @Test
    void a_local_time_is_one_of_the_schedules_zone() {
        long id = create("nightly", "{\"cron\":\"0 30 2 * * ?\",\"zone\":\"Europe/Berlin\"}", "");
        JsonNode explained = why(id, "2031-03-30%2002:30");
        assertEquals("SHIFTED_BY_CLOCK_CHANGE", explained.path("cause").asText());
        assertEquals("2031-03-30T01:00:00.000Z", explained.path("fireTime").asText());
        assertEquals("Europe/Berlin", explained.path("zone").asText());
        assertEquals(
                "2031-06-30T02:30:00.000Z",
                api.get("/api/v1/apps/shop/tasks/nightly/why?at=2031-06-30T02:30&zone=UTC")
                        .body()
                        .path("at")
                        .asText());
    }

    @Test
    void a_gap_of_another_zone_does_not_move_the_schedule() {
        long id = create("overseas", "{\"cron\":\"0 30 2 * * ?\",\"zone\":\"America/New_York\"}", "");
        JsonNode explained = why(id, "2031-03-30%2002:30&zone=Europe/Berlin");
        assertEquals("NOT_A_FIRE_TIME", explained.path("cause").asText(), explained.toString());
        assertEquals("2031-03-30T06:30:00.000Z", explained.path("nextFireTime").asText());
    }

    @Test
    void the_calendar_that_excludes_is_named() {
        assertEquals(
                201,
                api.json("PUT", "/api/v1/calendars/holidays", "{\"dates\":[\"2031-12-25\"]}")
                        .status());
        long id = create("closed", "{\"cron\":\"0 0 3 * * ?\"}", ",\"calendars\":[\"holidays\"]");
        JsonNode explained = why(id, "2031-12-25T03:00:00Z");
        assertEquals("EXCLUDED_BY_CALENDAR", explained.path("cause").asText());
        assertTrue(
                explained.path("sentence").asText().contains("The calendar holidays excludes"), explained.toString());
        assertEquals("2031-12-26T03:00:00.000Z", explained.path("nextFireTime").asText());
    }

    @Test
    void a_limit_without_room_is_named_with_the_bound_that_is_reached() {
        long id = create("limited", "{\"at\":\"2199-01-01T00:00:00Z\"}", ",\"tags\":[\"few\",\"slow\"]");
        api.json("PUT", "/api/v1/limits/tag:few", "{\"maxRunning\":1}");
        api.json("PUT", "/api/v1/limits/tag:slow", "{\"rate\":{\"max\":1,\"per\":\"PT1M\"},\"maxRunning\":7}");
        waits(id, "2026-11-01T00:00:00Z", "tag:slow");
        assertEquals(
                "It was triggered by hand. It waits for room under the limit tag:slow (at most 1 start in PT1M).",
                why(id, "2026-11-01T00:00:00Z").path("sentence").asText());
        waits(id, "2026-11-02T00:00:00Z", "tag:few");
        api.execute(
                "insert into twinbell.execution (task_id, fire_time, app, name, state, attempt, epoch, node, claimed_at)"
                        + " values (" + id
                        + ", '2026-11-03T00:00:00Z', 'shop', 'limited', 'RUNNING', 1, 1, 'a', now())");
        String full = why(id, "2026-11-02T00:00:00Z").path("sentence").asText();
        assertTrue(full.endsWith("under the limit tag:few (1 of 1 run)."), full);
    }

    private static void waits(long id, String fire, String limit) {
        api.execute(
                "insert into twinbell.execution (task_id, fire_time, app, name, state, attempt, origin, due_at, held_by)"
                        + " values (" + id + ", '" + fire + "', 'shop', 'limited', 'PENDING', 1, 'TRIGGERED', now(), '"
                        + limit
                        + "')");
    }

    @Test
    void a_pause_and_a_removal_are_named() {
        long id = create("paused", "{\"cron\":\"0 0 3 * * ?\"}", "");
        api.post("/api/v1/tasks/" + id + "/pause", "{\"reason\":\"wrong figures\",\"by\":\"ann\"}");
        JsonNode explained = why(id, "2031-12-25T03:00:00Z");
        assertEquals("TASK_PAUSED", explained.path("cause").asText());
        assertTrue(explained.path("sentence").asText().contains("by ann: wrong figures"), explained.toString());
        assertEquals(204, api.delete("/api/v1/tasks/" + id).status());
        assertEquals(
                "TASK_REMOVED", why(id, "2031-12-25T03:00:00Z").path("cause").asText());
    }

    @Test
    void an_invalid_question_is_refused() {
        long id = create("asked", "{\"every\":\"PT1H\"}", "");
        assertEquals(400, api.get("/api/v1/tasks/" + id + "/why").status());
        assertEquals(400, api.get("/api/v1/tasks/" + id + "/why?at=yesterday").status());
        assertEquals(
                400,
                api.get("/api/v1/tasks/" + id + "/why?at=2031-01-01&zone=Moon").status());
        assertEquals(
                404,
                api.get("/api/v1/tasks/987654321/why?at=2031-01-01T00:00:00Z").status());
        assertEquals(
                404,
                api.get("/api/v1/apps/shop/tasks/nobody/why?at=2031-01-01T00:00:00Z")
                        .status());
    }
}
