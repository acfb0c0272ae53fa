package io.twinbell.node.api;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.node.api.ApiFixture.Reply;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class PreviewTest {
    private static ApiFixture api;

    @BeforeAll
    static void start() {
        api = new ApiFixture();
    }

    @AfterAll
    static void stop() {
        api.close();
    }

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
    void what_can_not_be_previewed_is_refused_where_it_is_wrong() {
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
                () -> assertRefused("/cout", "{\"schedule\":{\"every\":\"PT1S\"},\"cout\":3}"));
    }

    private static void assertRefused(String pointer, String json) {
        Reply reply = preview(json);
        assertEquals(400, reply.status(), reply.body().toString());
        assertEquals(pointer, reply.firstError("pointer"), reply.body().toString());
    }
}
