package io.twinbell.node.api;

import static io.twinbell.node.api.ApiFixture.assertStatus;
import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.node.api.ApiFixture.Reply;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

class PreviewTest {
    @AutoClose
    private static final ApiFixture api = new ApiFixture();

    private static Reply preview(String json) {
        return api.post("/api/v1/schedules/preview", json);
    }

    @Test
    void a_preview_lists_what_comes_strictly_after_from_and_marks_what_the_clocks_shifted() {
        JsonNode body = preview("""
                        {"schedule":{"cron":"0 30 2 * * ?","zone":"Europe/Berlin"},"from":"2026-03-28T01:30:00Z","count":2}""").body();
        assertEquals(
                "[\"2026-03-29T01:00:00.000Z\",\"2026-03-30T00:30:00.000Z\"]",
                body.get("fireTimes").toString());
        assertEquals(
                "{\"2026-03-29T01:00:00.000Z\":\"SHIFTED\"}", body.get("marks").toString());
        assertFalse(body.get("description").textValue().isEmpty());
    }

    @Test
    void without_from_and_count_it_is_the_next_ten() {
        assertEquals(
                10,
                preview("{\"schedule\":{\"every\":\"PT5S\"}}")
                        .body()
                        .get("fireTimes")
                        .size());
    }

    @Test
    void a_schedule_that_fires_once_is_listed_once() {
        assertEquals(
                1,
                preview("{\"schedule\":{\"in\":\"PT48H\"},\"count\":1000}")
                        .body()
                        .get("fireTimes")
                        .size());
    }

    @Test
    void backwards_it_lists_what_came_strictly_before_from_the_newest_first() {
        JsonNode body = preview("""
                        {"schedule":{"cron":"0 30 2 * * ?","zone":"Europe/Berlin"},"from":"2026-03-30T00:30:00Z",
                         "count":2,"direction":"BACKWARD"}""").body();
        assertEquals(
                "[\"2026-03-29T01:00:00.000Z\",\"2026-03-28T01:30:00.000Z\"]",
                body.get("fireTimes").toString());
        assertEquals(
                "{\"2026-03-29T01:00:00.000Z\":\"SHIFTED\"}", body.get("marks").toString());
    }

    @Test
    void the_backward_list_equals_the_forward_list() {
        String schedule = """
                {"schedule":{"cron":"*/20 1-3 * * *","zone":"Europe/Berlin","dstOverlap":"TWICE"},"count":1000,""";
        List<String> forwards = fireTimes(schedule + "\"from\":\"2026-03-01T00:00:00Z\"}");
        List<String> backwards = fireTimes(schedule + "\"from\":\""
                + Instant.parse(forwards.get(999)).plusMillis(1) + "\",\"direction\":\"BACKWARD\"}");
        Collections.reverse(backwards);
        assertEquals(1000, forwards.size());
        assertEquals(forwards, backwards);
    }

    @Test
    void a_grid_without_a_start_runs_through_from_in_both_directions() {
        String schedule = "{\"schedule\":{\"every\":\"PT7S\"},\"from\":\"2026-01-01T00:00:01Z\",\"count\":2";
        assertEquals(List.of("2026-01-01T00:00:08.000Z", "2026-01-01T00:00:15.000Z"), fireTimes(schedule + "}"));
        assertEquals(
                List.of("2025-12-31T23:59:54.000Z", "2025-12-31T23:59:47.000Z"),
                fireTimes(schedule + ",\"direction\":\"BACKWARD\"}"));
        assertEquals(
                List.of("2025-12-31T23:59:47.000Z", "2025-12-31T23:59:40.000Z"),
                fireTimes(schedule + ",\"direction\":\"BACKWARD\",\"end\":\"2025-12-31T23:59:50Z\"}"));
    }

    @Test
    void start_and_end_bound_it_as_they_bound_a_task() {
        String window = """
                ,"start":"2026-01-01T00:00:03Z","end":"2026-01-01T00:00:13Z","from":"%s"}""";
        String every = "{\"schedule\":{\"every\":\"PT5S\"}";
        List<String> all = List.of("2026-01-01T00:00:03.000Z", "2026-01-01T00:00:08.000Z", "2026-01-01T00:00:13.000Z");
        assertEquals(all, fireTimes(every + window.formatted("2025-12-01T00:00:00Z")));
        assertEquals(all.subList(1, 3), fireTimes(every + window.formatted("2026-01-01T00:00:03Z")));
        assertEquals(
                List.of(all.get(2), all.get(1), all.get(0)),
                fireTimes(every + ",\"direction\":\"BACKWARD\"" + window.formatted("2027-01-01T00:00:00Z")));
    }

    @Test
    void a_delay_after_runs_is_shown_as_if_they_took_no_time_and_says_so() {
        JsonNode body = preview("""
                {"schedule":{"every":"PT5S","mode":"FIXED_DELAY"},"from":"2026-01-01T00:00:00Z","count":2}""").body();
        assertEquals(
                "[\"2026-01-01T00:00:05.000Z\",\"2026-01-01T00:00:10.000Z\"]",
                body.get("fireTimes").toString());
        assertEquals(
                "5 seconds after each run has ended; shown as if runs took no time",
                body.get("description").textValue());
    }

    @Test
    void the_bounds_of_time_are_seen_from_both_sides() {
        String yearly = "{\"schedule\":{\"cron\":\"0 0 0 1 1 ?\"},\"count\":5,\"from\":";
        assertEquals(List.of("2199-01-01T00:00:00.000Z"), fireTimes(yearly + "\"2198-02-01T00:00:00Z\"}"));
        assertEquals(
                List.of("1971-01-01T00:00:00.000Z", "1970-01-01T00:00:00.000Z"),
                fireTimes(yearly + "\"1971-06-01T00:00:00Z\",\"direction\":\"BACKWARD\"}"));
    }

    @Test
    void the_value_of_H_is_shown_for_the_named_task() {
        String hashed = "{\"schedule\":{\"cron\":\"H H * * *\"},\"from\":\"2100-01-01T00:00:00Z\",\"count\":1";
        JsonNode task = api.post("/api/v1/tasks", """
                {"app":"billing","name":"hashed","schedule":{"cron":"H H * * *"},"start":"2100-01-01T00:00:00Z",
                 "handler":{"type":"log"}}""").body();
        assertEquals(
                List.of(task.get("nextFireTime").textValue()),
                fireTimes(hashed + ",\"app\":\"billing\",\"name\":\"hashed\"}"));
        assertNotEquals(fireTimes(hashed + "}"), fireTimes(hashed + ",\"app\":\"billing\",\"name\":\"hashed\"}"));
    }

    @Test
    void it_needs_no_database() {
        api.forbidConnections();
        try {
            assertStatus(200, preview("{\"schedule\":{\"every\":\"PT5S\"}}"));
        } finally {
            api.allowConnections();
        }
    }

    @Test
    void a_schedule_that_cannot_be_previewed_is_refused_at_its_fault() {
        assertAll(
                () -> assertRefused("/schedule", "{}"),
                () -> assertRefused("/schedule/cron", "{\"schedule\":{\"cron\":\"0 0 0 30 2 ?\"}}"),
                () -> assertRefused("/schedule/cron", "{\"schedule\":{\"cron\":\"61 * * * * ?\"}}"),
                () -> assertRefused(
                        "/schedule",
                        "{\"schedule\":{\"at\":\"2026-01-01T00:00:00Z\"},\"from\":\"2026-01-01T00:00:00Z\"}"),
                () -> assertRefused("/count", "{\"schedule\":{\"every\":\"PT1S\"},\"count\":1001}"),
                () -> assertRefused("/count", "{\"schedule\":{\"every\":\"PT1S\"},\"count\":0}"),
                () -> assertRefused("/from", "{\"schedule\":{\"every\":\"PT1S\"},\"from\":\"x\"}"),
                () -> assertRefused("/from", "{\"schedule\":{\"every\":\"PT1S\"},\"from\":\"1969-12-31T00:00:00Z\"}"),
                () -> assertRefused("/from", "{\"schedule\":{\"every\":\"PT1S\"},\"from\":5}"),
                () -> assertRefused("/direction", "{\"schedule\":{\"every\":\"PT1S\"},\"direction\":\"back\"}"),
                () -> assertRefused("/name", "{\"schedule\":{\"every\":\"PT1S\"},\"app\":\"billing\"}"),
                () -> assertRefused(
                        "/end",
                        "{\"schedule\":{\"every\":\"PT1S\"},\"start\":\"2026-01-02T00:00:00Z\",\"end\":\"2026-01-01T00:00:00Z\"}"),
                () -> assertRefused("/schedule", "{\"schedule\":{\"in\":\"PT1S\"},\"direction\":\"BACKWARD\"}"),
                () -> assertRefused(
                        "/schedule",
                        "{\"schedule\":{\"every\":\"PT1S\",\"mode\":\"FIXED_DELAY\"},\"direction\":\"BACKWARD\"}"),
                () -> assertRefused("/cout", "{\"schedule\":{\"every\":\"PT1S\"},\"cout\":3}"));
    }

    private static void assertRefused(String pointer, String json) {
        Reply reply = preview(json);
        assertStatus(400, reply);
        assertEquals(pointer, reply.firstError("pointer"), reply.body().toString());
    }

    private static List<String> fireTimes(String json) {
        Reply reply = preview(json);
        assertStatus(200, reply);
        List<String> found = new ArrayList<>();
        reply.body().get("fireTimes").forEach(fire -> found.add(fire.textValue()));
        return found;
    }

    @Test
    void jitter_is_shown_as_the_task_of_that_name_would_have_it() {
        String request = "{\"schedule\":{\"every\":\"PT1H\"},\"jitter\":\"PT59M\",\"from\":\"2026-03-28T00:00:00Z\"";
        String one = preview(request + ",\"app\":\"a\",\"name\":\"one\"}")
                .body()
                .get("fireTimes")
                .toString();
        assertEquals(
                one,
                preview(request + ",\"app\":\"a\",\"name\":\"one\"}")
                        .body()
                        .get("fireTimes")
                        .toString());
        assertFalse(one.equals(preview(request + ",\"app\":\"a\",\"name\":\"two\"}")
                .body()
                .get("fireTimes")
                .toString()));
        assertRefused("/jitter", request + "}");
    }
}
