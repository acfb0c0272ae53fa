package io.twinbell.node.api;

import static io.twinbell.node.api.ApiFixture.assertStatus;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.node.api.ApiFixture.Reply;
import java.net.http.HttpRequest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Calendars over HTTP, and the tasks that respect them. The fire times here are of 2099, so that none is ever due. */
class CalendarApiTest {
    private static final String PATH = "/api/v1/calendars/";
    private static final String YEAR_END = "{\"ranges\":[{\"from\":\"2099-12-24\",\"to\":\"2099-12-31\"}]}";
    private static final String TASK = """
            {"app":"billing","name":"%s","schedule":%s,"start":"2099-12-24T00:00:00Z","calendars":[%s],
             "handler":{"type":"log"}}""";
    private static final String DAILY = "{\"cron\":\"0 3 * * *\"}";

    @RegisterExtension
    static final ApiFixture api = new ApiFixture();

    @Test
    void it_is_created_replaced_read_listed_and_removed() {
        Reply created = put("year-end", YEAR_END);
        assertStatus(201, created);
        assertEquals(
                "/api/v1/calendars/year-end",
                created.raw().headers().firstValue("Location").orElseThrow());
        assertEquals("EXCLUDE", created.text("/mode"));
        Reply same = put("year-end", YEAR_END);
        assertStatus(200, same);
        assertEquals(version(created), version(same));
        Reply replaced = put("year-end", "{\"dates\":[\"2099-12-25\"],\"version\":" + version(created) + "}");
        assertStatus(200, replaced);
        assertTrue(version(replaced) > version(created));
        Reply late = put("year-end", "{\"version\":" + version(created) + "}");
        assertStatus(409, late);
        assertEquals("/version", late.firstError("pointer"));
        assertStatus(409, put("other", "{\"version\":1}"));
        put("a b", "{}");
        JsonNode got = api.get(PATH + "year-end").body();
        assertEquals("[\"2099-12-25\"]", got.get("dates").toString());
        JsonNode page = api.get("/api/v1/calendars?limit=1").body();
        assertEquals("a b", page.at("/items/0/name").textValue());
        assertEquals("year-end", api.get("/api/v1/calendars?after=a%20b").text("/items/0/name"));
        assertEquals("a b", page.get("next").textValue());
        assertStatus(204, api.delete(PATH + "a%20b"));
        assertStatus(404, api.get(PATH + "a%20b"));
        assertStatus(404, api.delete(PATH + "a%20b"));
    }

    @Test
    void excluded_spans_are_shown_with_the_tasks_that_respect_the_calendar() {
        put("year-end", YEAR_END);
        api.post("/api/v1/tasks", TASK.formatted("close", DAILY, "\"year-end\""));
        JsonNode shown = api.get(PATH + "year-end/excluded?from=2099-12-01T00:00:00Z&until=2100-01-01T00:00:00Z")
                .body();
        assertEquals(
                "[{\"from\":\"2099-12-24T00:00:00.000Z\",\"until\":\"2100-01-01T00:00:00.000Z\"}]",
                shown.get("excluded").toString());
        assertEquals("2100-01-01T00:00:00.000Z", shown.get("completeUntil").textValue());
        assertEquals(1, shown.at("/usedBy/count").intValue());
        JsonNode task = api.get("/api/v1/tasks?app=billing").body().at("/items/0");
        assertEquals(
                "[{\"taskId\":" + task.get("id") + ",\"app\":\"billing\",\"name\":\"close\"}]",
                shown.at("/usedBy/some").toString());
        assertEquals(
                "[]", api.get(PATH + "year-end/excluded").body().get("excluded").toString());
    }

    @Test
    void excluded_spans_are_bounded_in_time_and_number() {
        put(
                "odd",
                "{\"weekly\":[{\"days\":[\"MON\",\"TUE\",\"WED\",\"THU\",\"FRI\",\"SAT\",\"SUN\"],"
                        + "\"from\":\"01:00\",\"to\":\"02:00\"},{\"days\":[\"MON\",\"TUE\",\"WED\",\"THU\",\"FRI\",\"SAT\",\"SUN\"],"
                        + "\"from\":\"03:00\",\"to\":\"04:00\"},{\"days\":[\"MON\",\"TUE\",\"WED\",\"THU\",\"FRI\",\"SAT\",\"SUN\"],"
                        + "\"from\":\"05:00\",\"to\":\"06:00\"}]}");
        JsonNode cut = api.get(PATH + "odd/excluded?from=2099-01-01T00:00:00Z&until=2100-01-01T00:00:00Z")
                .body();
        assertEquals(1000, cut.get("excluded").size());
        assertEquals(cut.at("/excluded/999/until"), cut.get("completeUntil"));
        Reply tooLong = api.get(PATH + "odd/excluded?from=2099-01-01T00:00:00Z&until=2100-02-06T00:00:00Z");
        assertStatus(400, tooLong);
        assertEquals("until", tooLong.firstError("parameter"));
        assertStatus(404, api.get(PATH + "none/excluded"));
    }

    @Test
    void a_bad_calendar_is_refused_with_every_pointer_and_not_stored() {
        Reply refused = put("bad", "{\"dates\":[\"2099-12-32\"],\"weekley\":[],\"createdAt\":\"now\"}");
        assertStatus(400, refused);
        assertEquals("/createdAt", refused.firstError("pointer"));
        assertEquals(
                "/dates/0",
                put("bad", "{\"dates\":[\"2099-12-32\"],\"weekley\":[]}").firstError("pointer"));
        assertEquals("/name", put("bad", "{\"name\":\"good\"}").firstError("pointer"));
        assertStatus(400, put("x".repeat(201), "{}"));
        assertStatus(404, api.get(PATH + "bad"));
    }

    @Test
    void a_task_skips_what_its_calendars_exclude() {
        put("year-end", YEAR_END);
        JsonNode task = create("a", DAILY, "\"year-end\"").body();
        assertEquals("2100-01-01T03:00:00.000Z", task.get("nextFireTime").textValue());
        assertEquals("[\"year-end\"]", task.get("calendars").toString());
    }

    @Test
    void an_unknown_calendar_is_refused_where_it_is_named() {
        put("known", "{}");
        Reply refused = create("a", DAILY, "\"known\",\"unknown\"");
        assertStatus(400, refused);
        assertEquals("/calendars/1", refused.firstError("pointer"));
        assertEquals("/calendars/1", create("a", DAILY, "\"known\",\"known\"").firstError("pointer"));
        assertEquals("/calendars/0", create("a", DAILY, "5").firstError("pointer"));
        assertEquals(0, api.tasks());
    }

    @Test
    void a_task_that_its_calendars_never_let_fire_is_refused() {
        put("year-end", YEAR_END);
        put("never", "{\"mode\":\"ALLOW\",\"dates\":[\"2020-01-01\"]}");
        Reply once = create("a", "{\"at\":\"2099-12-25T12:00:00Z\"}", "\"year-end\"");
        assertStatus(400, once);
        assertEquals("/calendars", once.firstError("pointer"));
        assertEquals("/calendars", create("a", DAILY, "\"never\"").firstError("pointer"));
    }

    @Test
    void a_changed_calendar_moves_the_tasks_that_respect_it_before_it_is_acknowledged() {
        put("year-end", YEAR_END);
        create("moved", DAILY, "\"year-end\"");
        create("grid", "{\"every\":\"PT1M\"}", "");
        put("year-end", "{\"ranges\":[{\"from\":\"2099-12-24\",\"to\":\"2100-01-10\"}]}");
        assertEquals("2100-01-11T03:00:00.000Z", next("moved"));
        assertEquals("2099-12-24T00:00:00.000Z", next("grid"));
        put("year-end", "{}");
        assertEquals("2099-12-24T03:00:00.000Z", next("moved"));
    }

    @Test
    void a_task_that_is_not_moved_keeps_its_version() {
        put("year-end", YEAR_END);
        create("kept", DAILY, "\"year-end\"");
        put("year-end", "{\"ranges\":[{\"from\":\"2099-12-24\",\"to\":\"2099-12-31\"}],\"dates\":[\"2150-01-01\"]}");
        assertEquals(1, api.number("select version from twinbell.task_state"));
        assertEquals(0, lagging());
    }

    @Test
    void a_task_without_a_fire_time_left_is_finished_and_goes_on_when_it_is_let() {
        put("c", "{}");
        create("once", "{\"at\":\"2099-12-25T12:00:00Z\"}", "\"c\"");
        put("c", YEAR_END);
        assertEquals("FINISHED", text("state"));
        assertEquals("its calendars let no further fire time through", text("state_reason"));
        put("c", "{\"dates\":[\"2099-12-26\"]}");
        assertEquals("ACTIVE", text("state"));
        assertEquals("2099-12-25T12:00:00.000Z", next("once"));
    }

    @Test
    void an_edit_names_other_calendars_or_none() {
        put("year-end", YEAR_END);
        long id = create("a", DAILY, "").body().get("id").longValue();
        Reply added = api.json("PATCH", "/api/v1/tasks/" + id, "{\"calendars\":[\"year-end\"]}");
        assertEquals("2100-01-01T03:00:00.000Z", added.text("/nextFireTime"));
        assertStatus(409, api.delete(PATH + "year-end"));
        Reply refused = api.json("PATCH", "/api/v1/tasks/" + id, "{\"nextFireTime\":\"2099-12-25T12:00:00Z\"}");
        assertEquals("/nextFireTime", refused.firstError("pointer"));
        Reply removed = api.json("PATCH", "/api/v1/tasks/" + id, "{\"calendars\":null}");
        assertEquals("2099-12-24T03:00:00.000Z", removed.text("/nextFireTime"));
        assertFalse(removed.body().has("calendars"));
        assertStatus(204, api.delete(PATH + "year-end"));
    }

    @Test
    void a_calendar_that_tasks_respect_is_not_removed_and_they_are_named() {
        put("year-end", YEAR_END);
        long id = create("a", DAILY, "\"year-end\"").body().get("id").longValue();
        Reply refused = api.delete(PATH + "year-end");
        assertStatus(409, refused);
        assertEquals("the calendar is respected by 1: billing/a (" + id + ")", refused.text("/detail"));
        api.delete("/api/v1/tasks/" + id);
        assertStatus(204, api.delete(PATH + "year-end"));
    }

    @Test
    void a_batch_and_an_upsert_respect_calendars_too() {
        put("year-end", YEAR_END);
        api.post("/api/v1/tasks/batch", "[" + TASK.formatted("b", DAILY, "\"year-end\"") + "]");
        api.json("PUT", "/api/v1/apps/billing/tasks/u", TASK.formatted("u", DAILY, "\"year-end\""));
        assertEquals("2100-01-01T03:00:00.000Z", next("b"));
        assertEquals("2100-01-01T03:00:00.000Z", next("u"));
        assertEquals(2, api.number("select count(*) from twinbell.task_calendar"));
    }

    @Test
    void the_other_node_does_what_a_dead_node_left_undone() {
        put("year-end", YEAR_END);
        create("a", DAILY, "\"year-end\"");
        create("b", DAILY, "\"year-end\"");
        // As if it had died between the two transactions.
        api.execute("update twinbell.calendar set content = '{}', version = nextval('twinbell.calendar_version')");
        assertEquals(2, lagging());
        api.calendars.step(api.loop);
        assertEquals(0, lagging());
        assertEquals("2099-12-24T03:00:00.000Z", next("a"));
        assertEquals("2099-12-24T03:00:00.000Z", next("b"));
    }

    @Test
    void a_fire_time_set_by_hand_stands_as_tooLongas_it_is_let_through() {
        put("c", "{}");
        long id = create("a", DAILY, "\"c\"").body().get("id").longValue();
        api.json("PATCH", "/api/v1/tasks/" + id, "{\"nextFireTime\":\"2099-12-30T12:34:00Z\"}");
        put("c", "{\"dates\":[\"2099-12-25\"]}");
        assertEquals("2099-12-30T12:34:00.000Z", next("a"));
        put("c", "{\"dates\":[\"2099-12-30\"]}");
        assertEquals("2099-12-24T03:00:00.000Z", next("a"));
    }

    @Test
    void a_fixed_delay_task_comes_forward_when_its_calendar_allows() {
        put("c", "{}");
        create("d", "{\"every\":\"PT1H\",\"mode\":\"FIXED_DELAY\"}", "\"c\"");
        put("c", YEAR_END);
        assertEquals("2100-01-01T00:00:00.000Z", next("d"));
        put("c", "{}");
        assertEquals("2099-12-24T00:00:00.000Z", next("d"));
    }

    @Test
    void a_preview_respects_calendars_too() {
        put("year-end", YEAR_END);
        String ask = "{\"schedule\":" + DAILY + ",\"from\":\"2099-12-23T12:00:00Z\",\"count\":1,"
                + "\"calendars\":[\"%s\"]}";
        JsonNode preview =
                api.post("/api/v1/schedules/preview", ask.formatted("year-end")).body();
        assertEquals("[\"2100-01-01T03:00:00.000Z\"]", preview.get("fireTimes").toString());
        assertTrue(preview.get("description").textValue().contains("year-end"));
        assertEquals(
                "/calendars/0",
                api.post("/api/v1/schedules/preview", ask.formatted("unknown")).firstError("pointer"));
    }

    @Test
    void a_holiday_file_is_stored_with_its_text() {
        String file = "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nDTSTART;VALUE=DATE:20991225\r\n"
                + "END:VEVENT\r\nEND:VCALENDAR\r\n";
        Reply created = file("holidays?zone=Europe/Berlin&mode=ALLOW", file);
        assertStatus(201, created);
        assertEquals("[\"2099-12-25\"]", created.body().get("dates").toString());
        JsonNode got = api.get(PATH + "holidays").body();
        assertEquals("Europe/Berlin", got.get("zone").textValue());
        assertEquals("ALLOW", got.get("mode").textValue());
        assertEquals(file, got.get("source").textValue());
        Reply broken = file("holidays", file.replace("END:VEVENT\r\n", ""));
        assertStatus(400, broken);
        assertTrue(
                broken.text("/detail").startsWith("line 5: \"END:VCALENDAR\" has no matching BEGIN"), broken::toString);
        assertEquals("zone", file("holidays?zone=Mars", file).firstError("parameter"));
        assertStatus(409, file("holidays?version=1", file));
        assertStatus(413, file("holidays", "x".repeat(1024 * 1024 + 1)));
        assertStatus(
                415,
                api.send(api.request(PATH + "holidays")
                        .header("Content-Type", "text/plain")
                        .PUT(HttpRequest.BodyPublishers.ofString(file))));
    }

    private static Reply file(String nameAndQuery, String file) {
        return api.send(api.request(PATH + nameAndQuery)
                .header("Content-Type", "text/calendar; charset=utf-8")
                .PUT(HttpRequest.BodyPublishers.ofString(file)));
    }

    @Test
    void a_paused_task_moves_too_and_stays_paused() {
        put("c", "{}");
        long id = create("a", DAILY, "\"c\"").body().get("id").longValue();
        api.post("/api/v1/tasks/" + id + "/pause", "{\"reason\":\"why not\"}");
        put("c", YEAR_END);
        assertEquals("2100-01-01T03:00:00.000Z", next("a"));
        assertEquals("PAUSED", text("state"));
        assertEquals("why not", text("state_reason"));
    }

    private static long lagging() {
        return api.number(
                "select count(*) from twinbell.task_calendar t join twinbell.calendar c on c.name = t.calendar"
                        + " where t.version < c.version");
    }

    private static Reply put(String name, String json) {
        return api.json("PUT", PATH + name.replace(" ", "%20"), json);
    }

    private static Reply create(String name, String schedule, String calendars) {
        return api.post("/api/v1/tasks", TASK.formatted(name, schedule, calendars));
    }

    private static long version(Reply reply) {
        return reply.body().get("version").longValue();
    }

    private static String next(String name) {
        JsonNode item = api.get("/api/v1/tasks?q=" + name).body().at("/items/0");
        return item.get("nextFireTime").asText();
    }

    private static String text(String column) {
        return api.text("select " + column + " from twinbell.task_state");
    }
}
