package io.twinbell.node.api;

import static io.twinbell.node.api.ApiFixture.assertStatus;
import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.node.api.ApiFixture.Reply;
import io.twinbell.node.json.Instants;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class TaskEditTest {
    private static final String HANDLER = "\"handler\":{\"type\":\"log\"}";

    @AutoClose
    private static final ApiFixture api = new ApiFixture();

    private long id;
    private String path;

    @BeforeEach
    void oneTask() {
        api.execute("delete from twinbell.task; delete from twinbell.passed_slots; delete from twinbell.leap");
        id = api.task("edited");
        path = "/api/v1/tasks/" + id;
    }

    private Reply patch(String json) {
        return api.json("PATCH", path, json);
    }

    /** As if the master had been away: the hourly task has been due for three and a half hours. */
    private void overdueByThreeHoursAndAHalf() {
        api.execute("update twinbell.full_task set definition = jsonb_set(definition, '{start}',"
                + " to_jsonb(to_char((clock_timestamp() - interval '4.5 hours') at time zone 'UTC',"
                + " 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"')))");
        api.execute("update twinbell.task_state set next_fire_time ="
                + " (select (definition->>'start')::timestamptz + interval '1 hour' from twinbell.full_task)");
    }

    @Test
    void a_patch_changes_what_it_names_keeps_the_rest_and_raises_the_version() {
        JsonNode before = api.get(path).body();
        Reply reply = patch(
                "{\"owner\":\"ops\",\"tags\":[\"x\"],\"handler\":{\"headers\":{\"A\":\"b\"}},\"timeout\":\"PT5S\"}");
        JsonNode after = reply.body();
        assertAll(
                () -> assertEquals(200, reply.status()),
                () -> assertEquals(2, after.get("version").intValue()),
                () -> assertEquals("ops", after.get("owner").textValue()),
                () -> assertEquals("b", after.at("/handler/headers/A").textValue()),
                () -> assertEquals(
                        "http://127.0.0.1:9/x", after.at("/handler/url").textValue()),
                () -> assertEquals(before.get("nextFireTime"), after.get("nextFireTime")),
                () -> assertEquals(after, api.get(path).body()));
    }

    @Test
    void null_in_a_patch_brings_back_the_default() {
        patch("{\"owner\":\"ops\",\"timeout\":\"PT5S\",\"data\":[1]}");
        JsonNode after =
                patch("{\"owner\":null,\"timeout\":null,\"data\":null}").body();
        assertTrue(after.get("owner").isNull());
        assertEquals("PT30S", after.get("timeout").textValue());
        assertFalse(after.has("data"));
    }

    @Test
    void a_patch_that_changes_nothing_leaves_the_version() {
        assertEquals(1, patch("{}").number("/version"));
        assertEquals(
                1, patch("{\"schedule\":{\"every\":\"PT1H\"},\"priority\":5}").number("/version"));
    }

    @Test
    void a_new_schedule_is_reckoned_from_now_on_the_grid_of_the_start() {
        long start = Instants.millis(api.get(path).text("/start"));
        JsonNode after = patch("{\"schedule\":{\"every\":\"PT10M\"}}").body();
        assertEquals(Instants.text(start + 600_000), after.get("nextFireTime").textValue());
    }

    @Test
    void in_said_of_an_old_task_counts_from_the_edit() {
        api.execute("update twinbell.full_task set definition ="
                + " jsonb_set(definition, '{start}', '\"2020-01-01T00:00:00.000Z\"')");
        JsonNode after =
                patch("{\"schedule\":{\"every\":null,\"in\":\"PT48H\"}}").body();
        long next = Instants.millis(after.get("nextFireTime").textValue());
        long start = Instants.millis(after.get("start").textValue());
        assertEquals(48 * 3_600_000L, next - start);
        assertTrue(start > Instants.millis("2026-01-01T00:00:00Z"));
    }

    @Test
    void a_patch_with_an_unreadable_result_is_refused_and_stores_nothing() {
        JsonNode before = api.get(path).body();
        assertAll(
                () -> assertRefused("/schedule", patch("{\"schedule\":{\"cron\":\"0 0 12 * * ?\"}}")),
                () -> assertRefused("/schedule", patch("{\"schedule\":null}")),
                () -> assertRefused("/foo", patch("{\"foo\":1}")),
                () -> assertRefused("/name", patch("{\"name\":\"other\"}")),
                () -> assertRefused("/app", patch("{\"app\":null}")),
                () -> assertRefused("/id", patch("{\"id\":7}")),
                () -> assertRefused("/state", patch("{\"state\":\"PAUSED\"}")),
                () -> assertRefused(
                        "/schedule", patch("{\"schedule\":{\"every\":null,\"at\":\"2001-01-01T00:00:00Z\"}}")),
                () -> assertRefused("/maxRuns", patch("{\"maxRuns\":0}")),
                () -> assertRefused("/runs", patch("{\"runs\":0}")),
                () -> assertRefused("", patch("[]")),
                () -> assertEquals(
                        413, patch("{\"data\":\"" + "x".repeat(70_000) + "\"}").status()),
                () -> assertEquals(before, api.get(path).body()));
    }

    @Test
    void a_patch_that_leaves_half_of_the_old_kind_is_told_how_to_remove_it() {
        Reply schedule = patch("{\"schedule\":{\"cron\":\"0 0 12 * * ?\"}}");
        assertTrue(
                schedule.firstError("detail").contains("set to null"),
                schedule.body().toString());
        Reply handler = patch("{\"handler\":{\"type\":\"log\"}}");
        assertTrue(
                handler.firstError("detail").contains("set to null"),
                handler.body().toString());
        Reply other = patch("{\"handler\":{\"method\":\"a b\"}}");
        assertFalse(
                other.firstError("detail").contains("set to null"), other.body().toString());
    }

    private static void assertRefused(String pointer, Reply reply) {
        assertStatus(400, reply);
        assertEquals(pointer, reply.firstError("pointer"), reply.body().toString());
    }

    @Test
    void a_merge_patch_may_be_declared_as_such() {
        var request = api.request(path)
                .header("Content-Type", "application/merge-patch+json; charset=utf-8")
                .method("PATCH", java.net.http.HttpRequest.BodyPublishers.ofString("{\"owner\":\"x\"}"));
        assertStatus(200, api.send(request));
    }

    @Test
    void a_version_that_is_not_the_tasks_is_409_and_changes_nothing() {
        assertStatus(200, patch("{\"version\":1,\"owner\":\"first\"}"));
        Reply reply = patch("{\"version\":1,\"owner\":\"second\"}");
        assertStatus(409, reply);
        assertEquals("/version", reply.firstError("pointer"));
        assertEquals("first", api.get(path).text("/owner"));
    }

    @Test
    void many_concurrent_edits_of_one_version_store_one() {
        List<Integer> statuses = IntStream.range(0, 8)
                .mapToObj(i -> CompletableFuture.supplyAsync(
                        () -> patch("{\"version\":1,\"owner\":\"o" + i + "\"}").status()))
                .toList()
                .stream()
                .map(CompletableFuture::join)
                .sorted()
                .toList();
        assertEquals(List.of(200, 409, 409, 409, 409, 409, 409, 409), statuses);
        assertEquals(2, api.get(path).number("/version"));
    }

    @Test
    void the_next_fire_time_can_be_moved_forward_but_not_into_the_past() {
        JsonNode moved =
                patch("{\"nextFireTime\":\"2100-01-01T00:00:00.001Z\"}").body();
        assertEquals("2100-01-01T00:00:00.001Z", moved.get("nextFireTime").textValue());
        assertEquals(2, moved.get("version").intValue());
        assertRefused("/nextFireTime", patch("{\"nextFireTime\":\"2020-01-01T00:00:00Z\"}"));
        assertRefused("/nextFireTime", patch("{\"nextFireTime\":\"soon\"}"));
        patch("{\"end\":\"2150-01-01T00:00:00Z\"}");
        assertRefused("/nextFireTime", patch("{\"nextFireTime\":\"2150-01-01T00:00:00.001Z\"}"));
    }

    @Test
    void the_next_fire_time_of_an_edit_is_later_than_the_last_slot_claimed() {
        api.execute("update twinbell.task_state set previous_fire_time = '2100-01-01T00:00:00Z'");
        assertRefused("/nextFireTime", patch("{\"nextFireTime\":\"2100-01-01T00:00:00Z\"}"));
        JsonNode after = patch("{\"schedule\":{\"every\":\"PT1M\"}}").body();
        assertTrue(after.get("nextFireTime").textValue().startsWith("2100-01-01T00:0"), after.toString());
    }

    @Test
    void a_one_shot_is_moved_as_a_whole() {
        JsonNode once = api.post(
                        "/api/v1/tasks",
                        "{\"app\":\"a\",\"name\":\"once\",\"schedule\":{\"at\":\"2100-01-01T00:00:00Z\",\"past\":\"REFUSE\"},"
                                + HANDLER + "}")
                .body();
        JsonNode moved = api.json(
                        "PATCH", "/api/v1/tasks/" + once.get("id"), "{\"nextFireTime\":\"2090-01-01T00:00:00Z\"}")
                .body();
        assertEquals("2090-01-01T00:00:00.000Z", moved.at("/schedule/at").textValue());
        assertEquals("REFUSE", moved.at("/schedule/past").textValue());
        assertEquals("2090-01-01T00:00:00.000Z", moved.get("nextFireTime").textValue());
    }

    @Test
    void an_edit_of_the_timing_records_the_due_slots_that_it_passes_over() {
        overdueByThreeHoursAndAHalf();
        assertStatus(200, patch("{\"schedule\":{\"every\":\"PT2H\"}}"));
        assertPassed("MISSED", 4, "passed over by an edit before it was claimed");
    }

    @Test
    void a_next_fire_time_that_is_moved_ahead_leaves_word_of_what_it_leaps_over() {
        patch("{\"nextFireTime\":\"2100-01-01T00:00:00Z\"}");
        assertEquals(1, api.number("select count(*) from twinbell.leap where until_time = '2100-01-01T00:00:00Z'"));
        patch("{\"owner\":\"x\"}");
        assertEquals(1, api.number("select count(*) from twinbell.leap where until_time > clock_timestamp()"));
        patch("{\"nextFireTime\":\"2099-01-01T00:00:00Z\"}");
        assertEquals(
                1,
                api.number("select count(*) from twinbell.leap where until_time <= clock_timestamp()"
                        + " + interval '1 second'"),
                "it ends where the next one begins");
        api.delete(path);
        assertEquals(0, api.number("select count(*) from twinbell.leap where until_time > clock_timestamp()"));
    }

    @Test
    void an_edit_that_leaves_the_timing_leaves_the_due_slots_to_the_master() {
        overdueByThreeHoursAndAHalf();
        JsonNode before = api.get(path).body();
        JsonNode after = patch("{\"owner\":\"x\"}").body();
        assertEquals(before.get("nextFireTime"), after.get("nextFireTime"));
        assertEquals(0, api.number("select count(*) from twinbell.passed_slots"));
    }

    @Test
    void a_removal_records_the_due_slots_that_it_passes_over() {
        overdueByThreeHoursAndAHalf();
        assertStatus(204, api.delete(path));
        assertStatus(404, api.get(path));
        assertPassed("MISSED", 4, "its task was removed before it was claimed");
    }

    @Test
    void a_removal_of_an_unfinished_task_leaves_a_finished_one() {
        String state = "update twinbell.task_state set state = '%s', next_fire_time = null";
        api.execute(state.formatted("FINISHED"));
        String named = "/api/v1/apps/" + api.get(path).text("/app") + "/tasks/"
                + api.get(path).text("/name");
        for (String one : List.of(path, named)) {
            Reply late = api.delete(one + "?unfinished=true");
            assertStatus(409, late);
            assertTrue(late.body().toString().contains("the task is FINISHED"), late::toString);
            assertStatus(400, api.delete(one + "?unfinished=perhaps"));
            assertStatus(200, api.get(path));
        }
        api.execute(state.formatted("ERROR"));
        assertStatus(409, api.delete(named + "?unfinished=true&version=77"));
        assertStatus(204, api.delete(named + "?unfinished=true"));
        assertStatus(404, api.get(path));
    }

    @Test
    void a_pause_keeps_the_place_and_the_resume_records_what_passed_meanwhile() {
        Reply paused = api.post(path + "/pause", "{\"reason\":\"db maintenance\"}");
        assertEquals("PAUSED", paused.text("/state"));
        assertEquals("db maintenance", paused.text("/stateReason"));
        assertEquals(2, paused.number("/version"));
        assertFalse(paused.body().get("enabled").booleanValue());
        overdueByThreeHoursAndAHalf();
        JsonNode resumed = api.post(path + "/resume", "").body();
        assertEquals("ACTIVE", resumed.get("state").textValue());
        assertEquals(4, resumed.get("version").intValue(), "paused, written by hand, resumed");
        long start = Instants.millis(resumed.get("start").textValue());
        assertEquals(
                Instants.text(start + 5 * 3_600_000),
                resumed.get("nextFireTime").textValue());
        assertPassed("SKIPPED", 4, "paused: db maintenance");
    }

    @Test
    void a_resume_may_run_the_newest_slots_that_passed_meanwhile() {
        api.post(path + "/pause", "{\"reason\":\"db maintenance\"}");
        overdueByThreeHoursAndAHalf();
        assertRefused("/max", api.post(path + "/resume", "{\"max\":2}"));
        assertRefused("/max", api.post(path + "/resume", "{\"catchUp\":\"ALL\",\"max\":1001}"));
        assertRefused("/max", api.post("/api/v1/tasks/resume?app=billing", "{\"catchUp\":\"ALL\",\"max\":11}"));
        assertRefused("/catchUp", api.post(path + "/resume", "{\"catchUp\":\"SOME\"}"));
        JsonNode resumed =
                api.post(path + "/resume", "{\"catchUp\":\"ALL\",\"max\":3}").body();
        long next = Instants.millis(resumed.get("nextFireTime").textValue());
        assertPassed("SKIPPED", 1, "paused: db maintenance");
        assertEquals(
                3,
                api.number("select (after ->> 'slots')::bigint from twinbell.audit_entry where act = 'CATCH_UP'"
                        + " and items = 3 and name is not null and after ->> 'until' = '"
                        + Instants.text(next - 3_600_000) + "' order by id desc limit 1"));
        for (int hours = 1; hours <= 3; hours++) {
            assertEquals(
                    1,
                    api.number("select count(*) from twinbell.execution where state = 'PENDING'"
                            + " and origin = 'CAUGHT_UP' and reason = 'caught up: paused: db maintenance'"
                            + " and fire_time = twinbell.instant(" + (next - hours * 3_600_000L) + ")"));
        }
        JsonNode row = api.get("/api/v1/executions?state=PENDING").body().at("/items/0");
        assertEquals("CAUGHT_UP", row.get("origin").textValue());
        assertEquals(3, api.delete(path + "/backfill").number("/cancelled"), "they are cancelled together");
    }

    @Test
    void pausing_and_resuming_twice_changes_nothing_the_second_time() {
        api.post(path + "/pause", "{\"reason\":\"first\"}");
        JsonNode again = api.post(path + "/pause", "").body();
        assertEquals("first", again.get("stateReason").textValue());
        api.post(path + "/resume", "");
        assertEquals(3, api.post(path + "/resume", "").number("/version"));
    }

    @Test
    void enabled_in_a_patch_pauses_and_resumes() {
        assertEquals("PAUSED", patch("{\"enabled\":false}").text("/state"));
        assertEquals("PAUSED", patch("{\"owner\":\"x\"}").text("/state"));
        assertEquals("ACTIVE", patch("{\"enabled\":true}").text("/state"));
    }

    @Test
    void a_one_shot_whose_time_passed_in_a_pause_is_skipped_and_finished() {
        api.execute("update twinbell.full_task set definition ="
                + " jsonb_set(definition, '{schedule}', '{\"at\":\"2026-01-01T00:00:00Z\"}')");
        api.execute("update twinbell.task_state set state = 'PAUSED', next_fire_time = '2026-01-01T00:00:00Z'");
        JsonNode resumed = api.post(path + "/resume", "").body();
        assertEquals("FINISHED", resumed.get("state").textValue());
        assertTrue(resumed.get("nextFireTime").isNull());
        assertPassed("SKIPPED", 1, "paused");
    }

    @Test
    void a_pause_says_who_and_until_when_and_a_second_one_may_say_otherwise() {
        JsonNode paused = api.post(
                        path + "/pause", "{\"reason\":\"move\",\"by\":\"bob\",\"until\":\"2100-01-01T00:00:00Z\"}")
                .body();
        assertEquals("bob", paused.get("pausedBy").textValue());
        assertEquals("2100-01-01T00:00:00.000Z", paused.get("pausedUntil").textValue());
        JsonNode later = api.post(path + "/pause", "{\"reason\":\"longer\",\"until\":\"2101-01-01T00:00:00Z\"}")
                .body();
        assertEquals("longer", later.get("stateReason").textValue());
        assertEquals("2101-01-01T00:00:00.000Z", later.get("pausedUntil").textValue());
        JsonNode resumed = api.post(path + "/resume", "").body();
        assertFalse(resumed.has("pausedUntil"));
        assertEquals(0, api.number("select count(*) from twinbell.task_state where paused_until is not null"));
    }

    @Test
    void a_pause_that_would_be_over_already_is_refused() {
        assertRefused("/until", api.post(path + "/pause", "{\"until\":\"2020-01-01T00:00:00Z\"}"));
        assertRefused("/until", api.post(path + "/pause", "{\"until\":\"soon\"}"));
        assertEquals("ACTIVE", api.get(path).text("/state"));
    }

    @Test
    void an_edit_of_a_paused_task_leaves_the_end_of_its_pause() {
        api.post(path + "/pause", "{\"until\":\"2100-01-01T00:00:00Z\"}");
        JsonNode edited = patch("{\"schedule\":{\"every\":\"PT2H\"}}").body();
        assertEquals("2100-01-01T00:00:00.000Z", edited.get("pausedUntil").textValue());
        assertRefused("/pausedUntil", patch("{\"pausedUntil\":\"2101-01-01T00:00:00Z\"}"));
    }

    @Test
    void a_task_that_could_not_be_read_is_resumed_when_it_can() {
        api.execute("update twinbell.task_state set state = 'ERROR', state_reason = 'bad cron'");
        JsonNode fixed = patch("{\"schedule\":{\"every\":\"PT2H\"}}").body();
        assertEquals("ACTIVE", fixed.get("state").textValue());
        assertTrue(fixed.get("stateReason").isNull());
    }

    @Test
    void a_fixed_delay_task_that_waits_for_its_run_goes_on_waiting_through_edits() {
        patch("{\"schedule\":{\"every\":\"PT1H\",\"mode\":\"FIXED_DELAY\"}}");
        api.execute("update twinbell.task_state set next_fire_time = null");
        assertTrue(patch("{\"schedule\":{\"every\":\"PT2H\"}}")
                .body()
                .get("nextFireTime")
                .isNull());
        api.post(path + "/pause", "");
        JsonNode resumed = api.post(path + "/resume", "").body();
        assertEquals("ACTIVE", resumed.get("state").textValue());
        assertTrue(resumed.get("nextFireTime").isNull());
        assertTrue(patch("{\"schedule\":{\"mode\":null}}").body().hasNonNull("nextFireTime"));
    }

    @Test
    void put_creates_what_is_not_there_and_replaces_what_is() {
        String put = "/api/v1/apps/bill%2Fing/tasks/a%20b%3F";
        Reply created = api.json("PUT", put, "{\"schedule\":{\"every\":\"PT1H\"},\"owner\":\"x\"," + HANDLER + "}");
        assertStatus(201, created);
        assertEquals("bill/ing", created.text("/app"));
        assertEquals("a b?", created.text("/name"));
        Reply same = api.json("PUT", put, "{\"schedule\":{\"every\":\"PT1H\"},\"owner\":\"x\"," + HANDLER + "}");
        assertStatus(200, same);
        assertEquals(created.body(), same.body());
        Reply replaced = api.json("PUT", put, "{\"schedule\":{\"every\":\"PT1H\"}," + HANDLER + "}");
        assertEquals(2, replaced.number("/version"));
        assertTrue(replaced.body().get("owner").isNull());
        assertEquals(created.body().get("start"), replaced.body().get("start"));
        assertEquals(created.body().get("nextFireTime"), replaced.body().get("nextFireTime"));
    }

    @Test
    void put_leaves_a_pause_unless_it_says_enabled() {
        api.post(path + "/pause", "{\"reason\":\"hands off\"}");
        String put = "/api/v1/apps/billing/tasks/edited";
        String task = "{\"schedule\":{\"every\":\"PT3H\"}," + HANDLER;
        JsonNode paused = api.json("PUT", put, task + "}").body();
        assertEquals("PAUSED", paused.get("state").textValue());
        assertEquals("hands off", paused.get("stateReason").textValue());
        assertEquals("ACTIVE", api.json("PUT", put, task + ",\"enabled\":true}").text("/state"));
    }

    @Test
    void put_of_a_one_shot_that_is_done_may_be_repeated() {
        String put = "/api/v1/apps/billing/tasks/edited";
        String task = "{\"schedule\":{\"at\":\"2026-01-01T00:00:00.000Z\"}," + HANDLER + "}";
        api.json("PUT", put, task.replace("2026", "2100"));
        api.execute("update twinbell.full_task set definition ="
                + " jsonb_set(definition, '{schedule,at}', '\"2026-01-01T00:00:00.000Z\"')");
        api.execute("update twinbell.task_state set state = 'FINISHED', next_fire_time = null");
        Reply again = api.json("PUT", put, task);
        assertStatus(200, again);
        assertEquals("FINISHED", again.text("/state"));
    }

    @Test
    void put_of_an_instant_that_has_passed_creates_once_and_an_edit_to_another_is_refused() {
        String put = "/api/v1/apps/billing/tasks/late";
        String task = "{\"schedule\":{\"at\":\"2026-01-01T00:00:00.000Z\"}," + HANDLER + "}";
        Reply created = api.json("PUT", put, task);
        assertStatus(201, created);
        assertEquals("2026-01-01T00:00:00.000Z", created.text("/nextFireTime"));
        assertEquals(created.body(), api.json("PUT", put, task).body(), "not yet claimed, and said again");
        assertRefused("/schedule", api.json("PUT", put, task.replace("2026-", "2025-")));
    }

    @Test
    void max_runs_may_be_cut_and_raised_again() {
        api.execute("update twinbell.task_state set runs = 2");
        JsonNode cut = patch("{\"maxRuns\":2}").body();
        assertEquals("FINISHED", cut.get("state").textValue());
        assertTrue(cut.get("nextFireTime").isNull());
        assertEquals(2, cut.get("runs").intValue());
        JsonNode raised = patch("{\"maxRuns\":3}").body();
        assertEquals("ACTIVE", raised.get("state").textValue());
        assertTrue(raised.hasNonNull("nextFireTime"));
        assertEquals(3, raised.get("version").intValue());
        patch("{\"nextFireTime\":\"2100-01-01T00:00:00Z\"}");
        assertEquals(1, api.number("select count(*) from twinbell.task_state where off_schedule"));
    }

    @Test
    void put_refuses_another_name_in_its_body_and_a_version_of_nothing() {
        String put = "/api/v1/apps/billing/tasks/new";
        assertRefused(
                "/name", api.json("PUT", put, "{\"name\":\"old\",\"schedule\":{\"every\":\"PT1H\"}," + HANDLER + "}"));
        assertStatus(409, api.json("PUT", put, "{\"version\":3,\"schedule\":{\"every\":\"PT1H\"}," + HANDLER + "}"));
        assertEquals(1, api.tasks());
    }

    private static void assertPassed(String state, int slots, String reason) {
        assertEquals(
                state + " " + slots + " " + reason,
                api.text("select concat_ws(' ', state, slots, reason) from twinbell.passed_slots"));
    }
}
