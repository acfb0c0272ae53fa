package io.twinbell.node.api;

import static io.twinbell.node.api.ApiFixture.assertStatus;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

class ExplanationApiTest {
    @AutoClose
    private static final ApiFixture api = new ApiFixture();

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
        assertStatus(200, reply);
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
    void the_definition_of_a_run_is_quoted_once_its_task_has_another() {
        long id = create("edited", "{\"every\":\"PT1H\"}", "");
        assertStatus(
                200,
                api.json(
                        "PATCH",
                        "/api/v1/tasks/" + id,
                        "{\"handler\":{\"type\":\"log\",\"message\":\"ftp://u:pw@h/\"}}"));
        api.execute(
                "insert into twinbell.execution (task_id, fire_time, app, name, state, node, definition_id) select id,"
                        + " '2026-11-01T00:00:00Z', app, name, 'SUCCEEDED', 'a', definition_id from twinbell.task where id = "
                        + id);
        JsonNode before = why(id, "2026-11-01T00:00:00Z");
        assertFalse(before.has("definition"), before.toString());
        assertStatus(200, api.json("PATCH", "/api/v1/tasks/" + id, "{\"tags\":[\"t\"],\"data\":7}"));
        JsonNode retagged = why(id, "2026-11-01T00:00:00Z");
        assertFalse(retagged.has("definition"), retagged.toString());
        assertStatus(200, api.json("PATCH", "/api/v1/tasks/" + id, "{\"schedule\":{\"every\":\"PT2H\"}}"));
        JsonNode after = why(id, "2026-11-01T00:00:00Z");
        assertEquals("PT1H", after.at("/definition/schedule/every").asText());
        assertEquals("ftp://***@h/", after.at("/definition/handler/message").asText());
        assertTrue(
                after.path("sentence").asText().endsWith(" The task had another definition then."), after.toString());
        assertStatus(204, api.delete("/api/v1/tasks/" + id));
        JsonNode removed = why(id, "2026-11-01T00:00:00Z");
        assertEquals(
                "log", removed.path("definition").path("handler").path("type").asText());
        assertFalse(removed.path("sentence").asText().contains("another definition"), removed.toString());
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
                        .text("/at"));
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
        assertStatus(201, api.json("PUT", "/api/v1/calendars/holidays", "{\"dates\":[\"2031-12-25\"]}"));
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

    @Test
    void a_due_slot_names_the_quota_that_other_executions_of_its_app_wait_for() {
        long id = create("above-quota", "{\"every\":\"PT1H\"}", ",\"start\":\"2026-01-01T00:00:00Z\"");
        api.execute("update twinbell.task set created_at = now() - interval '1 day' where id = " + id);
        api.execute(
                "update twinbell.task_state set next_fire_time = date_trunc('hour', now()), planned_at = now() - interval '1 day' where task_id = "
                        + id);
        String due = api.text(
                "select to_char(date_trunc('hour', now()) at time zone 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')");
        String before = sentence(id, due);
        assertFalse(before.contains("quotas.firesPerMinute"), before);
        waits(create("triggered", "{\"at\":\"2199-01-01T00:00:00Z\"}", ""), "2026-11-01T00:00:00Z", "\u0001quota:shop");
        String after = sentence(id, due);
        assertTrue(after.endsWith("and waits because its app has used its quotas.firesPerMinute."), after);
        api.execute("delete from twinbell.execution where held_by like E'\\x01quota:%'");
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
        assertTrue(
                explained.path("sentence").asText().matches(".*by ann since [-0-9: .]+ UTC: wrong figures.*"),
                explained.toString());
        assertStatus(204, api.delete("/api/v1/tasks/" + id));
        assertEquals(
                "TASK_REMOVED", why(id, "2031-12-25T03:00:00Z").path("cause").asText());
    }

    @Test
    void a_pause_says_since_when_it_lasts_and_who_began_it() {
        long id = create("paused-long", "{\"cron\":\"0 0 3 * * ?\"}", "");
        api.post("/api/v1/tasks/" + id + "/pause", "{\"by\":\"ann\"}");
        api.post("/api/v1/tasks/" + id + "/pause", "{\"by\":\"bob\",\"reason\":\"wrong figures\"}");
        String begun =
                api.text("select to_char(min(at) at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS') from twinbell.audit_entry"
                        + " where kind = 'TASK' and act = 'PAUSE' and object = '" + id + "'");
        String paused = sentence(id, "2031-12-25T03:00:00Z");
        assertTrue(paused.startsWith("The task is paused by bob since " + begun), paused);

        String day = api.text("select to_char(now() + interval '1 day', 'YYYY-MM-DD')");
        enter(id, day + "T03:00:00Z", "'SKIPPED', 1, 'paused', 1, null");
        String skipped = sentence(id, day + "T03:00:00Z");
        assertTrue(skipped.startsWith("It is SKIPPED: paused. The pause began at " + begun), skipped);

        long created = create("created-paused", "{\"cron\":\"0 0 3 * * ?\"}", ",\"enabled\":false");
        String since = sentence(created, "2031-12-25T03:00:00Z");
        assertTrue(since.contains(" since "), since);
    }

    private static String sentence(long id, String at) {
        return why(id, at).path("sentence").asText();
    }

    @Test
    void a_slot_that_a_standing_pause_skipped_says_since_when() {
        long id = create("stopped", "{\"cron\":\"0 0 3 * * ?\"}", "");
        api.execute("insert into twinbell.standing_pause (key, reason, paused_by, paused_at, resumed_at) values"
                + " ('app:shop', 'stocktaking', 'bob', '2026-11-01T00:00:00Z', '2026-11-05T00:00:00Z')");
        enter(
                id,
                "2026-11-03T03:00:00Z",
                "'SKIPPED', 1, 'firing was paused by bob for app:shop: stocktaking', 1, null");
        String skipped = sentence(id, "2026-11-03T03:00:00Z");
        assertTrue(skipped.endsWith("stocktaking. The pause began at 2026-11-01 00:00:00 UTC."), skipped);
    }

    @Test
    void a_gap_between_two_heartbeats_is_recorded_as_an_outage() {
        long id = create("missed", "{\"cron\":\"0 0 3 * * ?\"}", "");
        api.execute("update twinbell.heartbeat set epoch = 7, beat_at = '2026-11-04T02:50:00Z'");
        api.execute("update twinbell.heartbeat set epoch = 7, beat_at = '2026-11-04T02:50:09Z'");
        api.execute("update twinbell.heartbeat set epoch = 8, beat_at = '2026-11-04T03:20:00Z'");
        assertEquals(1, api.number("select count(*) from twinbell.heartbeat_gap"));
        enter(id, "2026-11-04T03:00:00Z", "'MISSED', 1, 'misfire: overdue by more than PT1M', 1, null");
        String missed = sentence(id, "2026-11-04T03:00:00Z");
        assertTrue(
                missed.contains("No master sent a heartbeat from 2026-11-04 02:50:09 UTC to 2026-11-04 03:20:00 UTC."),
                missed);
    }

    @Test
    void a_slot_claimed_in_a_batch_is_found_also_at_a_time_that_a_person_set() {
        long id = create("moved", "{\"at\":\"2031-01-01T00:00:00Z\"}", "");
        api.execute("update twinbell.task_state set next_fire_time = null, state = 'FINISHED' where task_id = " + id);
        api.execute("insert into twinbell.claim_batch values (1, 1, 'a', now(), array[" + id + "],"
                + " array[twinbell.millis('2026-11-20T10:00:00.250Z')])");
        JsonNode claimed = why(id, "2026-11-20T10:00:00Z");
        assertEquals("RUNNING", claimed.path("cause").asText(), claimed.toString());
        assertEquals("2026-11-20T10:00:00.250Z", claimed.path("fireTime").asText());
        api.execute("delete from twinbell.claim_batch");
    }

    @Test
    void a_slot_whose_row_the_master_has_still_to_enter_is_explained_by_it() {
        long id = create("passed", "{\"cron\":\"0 0 * * * ?\"}", ",\"start\":\"2026-11-01T00:00:00Z\"");
        api.execute(
                "update twinbell.task_state set planned_at = '2026-11-01Z', planned_from = '2026-11-01Z' where task_id = "
                        + id);
        api.execute("update twinbell.task set created_at = '2026-11-01Z' where id = " + id);
        assertEquals(
                "UNACCOUNTED", why(id, "2026-11-20T10:00:00Z").path("cause").asText());
        api.execute(
                "insert into twinbell.passed_slots (task_id, app, name, fire_time, second_fire_time, until_fire_time,"
                        + " slots, state, reason) values (" + id + ", 'shop', 'passed', '2026-11-20T09:00:00Z',"
                        + " '2026-11-20T10:00:00Z', '2026-11-20T11:00:00Z', 3, 'SKIPPED', 'paused by ann')");
        JsonNode skipped = why(id, "2026-11-20T10:00:00Z");
        assertEquals("TASK_PAUSED", skipped.path("cause").asText(), skipped.toString());
        assertTrue(
                skipped.path("sentence").asText().contains("The master has not entered this in the ledger yet."),
                skipped.toString());
        assertTrue(skipped.path("execution").isNull(), skipped.toString());
        assertEquals("2026-11-20T09:00:00.000Z", skipped.path("fireTime").asText());

        api.execute("insert into twinbell.leap (task_id, app, name, definition, after_time, until_time) values (" + id
                + ", 'shop', 'passed', '{}', '2026-11-21T09:30:00Z', '2099-01-01Z')");
        assertEquals(
                "MOVED_BY_HAND", why(id, "2026-11-21T10:00:00Z").path("cause").asText());
        assertEquals(
                "UNACCOUNTED", why(id, "2026-11-21T09:00:00Z").path("cause").asText());
        api.execute("delete from twinbell.passed_slots");
        api.execute("delete from twinbell.leap");
    }

    @Test
    void a_minute_with_several_slots_explains_the_first_planned_one() {
        long id = create("often", "{\"cron\":\"0/20 * * * * ?\"}", ",\"start\":\"2026-11-01T00:00:00Z\"");
        enter(
                id,
                "2026-11-10T10:00:00Z",
                "'MISSED', 1, 'misfire: overdue by more than PT1M', 6, '2026-11-10T10:01:40Z'");
        JsonNode first = why(id, "2026-11-10T10:01Z");
        assertEquals("MISSED", first.path("cause").asText(), first.toString());
        assertTrue(
                first.path("sentence").asText().contains("The time asked about has 3 slots; this explains that of"),
                first.toString());

        enter(id, "2026-11-10T11:00:00Z", "'SUCCEEDED', 1, null, 1, null");
        enter(id, "2026-11-10T11:00:20Z", "'FAILED', 1, null, 1, null");
        JsonNode ran = why(id, "2026-11-10T11:00Z");
        assertEquals("2026-11-10T11:00:00.000Z", ran.path("fireTime").asText(), ran.toString());
        JsonNode second = why(id, "2026-11-10T11:00:20Z");
        assertEquals("FAILED", second.path("execution").path("state").asText());
        assertFalse(second.path("sentence").asText().contains("time asked about"), second.toString());
    }

    @Test
    void a_run_by_hand_does_not_hide_the_slot_of_the_same_minute() {
        long id = create("both", "{\"cron\":\"0 0 3 * * ?\"}", "");
        api.execute("insert into twinbell.execution (task_id, fire_time, app, name, state, attempt, origin, ended_at)"
                + " values (" + id + ", '2031-12-25T03:00:10Z', 'shop', 'both', 'SUCCEEDED', 1, 'TRIGGERED', now())");
        JsonNode planned = why(id, "2031-12-25T03:00Z");
        assertEquals("WILL_FIRE", planned.path("cause").asText(), planned.toString());
        assertTrue(planned.path("sentence").asText().contains("has 2 slots"), planned.toString());
        JsonNode byHand = why(id, "2031-12-25T03:00:10Z");
        assertTrue(byHand.path("sentence").asText().startsWith("It was triggered by hand."), byHand.toString());
    }

    @Test
    void an_invalid_question_is_refused() {
        long id = create("asked", "{\"every\":\"PT1H\"}", "");
        assertStatus(400, api.get("/api/v1/tasks/" + id + "/why"));
        assertStatus(400, api.get("/api/v1/tasks/" + id + "/why?at=yesterday"));
        assertStatus(400, api.get("/api/v1/tasks/" + id + "/why?at=2031-01-01&zone=Moon"));
        assertStatus(404, api.get("/api/v1/tasks/987654321/why?at=2031-01-01T00:00:00Z"));
        assertStatus(404, api.get("/api/v1/apps/shop/tasks/nobody/why?at=2031-01-01T00:00:00Z"));
    }
}
