package io.twinbell.node.api;

import static io.twinbell.node.api.ApiFixture.assertStatus;
import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.node.api.ApiFixture.Reply;
import io.twinbell.node.json.Instants;
import io.twinbell.node.json.StrictJson;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LedgerApiTest {
    private static final long NOON = Instants.millis("2026-03-01T12:00:00Z");

    @RegisterExtension
    static final ApiFixture api = new ApiFixture();

    private static void execution(long taskId, long fireMillis, String state) {
        api.execute("insert into twinbell.execution (task_id, fire_time, app, name, state) values (" + taskId
                + ", twinbell.instant(" + fireMillis + "), 'billing', 'task-" + taskId + "', '" + state + "')");
    }

    @Test
    void an_execution_shows_its_attempts_oldest_first_and_when_the_next_one_comes() {
        api.execute(
                "insert into twinbell.execution (task_id, fire_time, app, name, state, attempt, epoch, node, due_at,"
                        + " attempts) values (7, '2026-03-01T12:00:00Z', 'billing', 'n', 'RETRYING', 2, 5, 'a',"
                        + " '2026-03-01T12:00:05Z', twinbell.with_attempt(twinbell.with_attempt(null, 1, 'TIMED_OUT', 'b', 3,"
                        + " '2026-03-01T12:00:00Z', '2026-03-01T12:00:01Z', 'slow', null, null), 2, 'FAILED', 'a', 5,"
                        + " '2026-03-01T12:00:02Z', '2026-03-01T12:00:03Z', 'broken', null, null))");
        JsonNode execution = api.get("/api/v1/executions/7-" + NOON).body();
        assertEquals("2026-03-01T12:00:05.000Z", execution.get("nextAttemptAt").textValue());
        assertEquals(2, execution.get("attempts").size());
        assertEquals("TIMED_OUT", execution.at("/attempts/0/state").textValue());
        assertEquals("b", execution.at("/attempts/0/node").textValue());
        assertEquals(
                "2026-03-01T12:00:02.000Z",
                execution.at("/attempts/1/startedAt").textValue());
        assertEquals("broken", execution.at("/attempts/1/error").textValue());
        assertFalse(api.get("/api/v1/executions").body().at("/items/0").has("attempts"), "a list would have no bound");
    }

    @Test
    void a_list_of_tasks_shows_the_last_outcome_of_each_if_it_is_asked_to() {
        long[] ids = LongStream.range(0, 4)
                .map(i -> api.post("/api/v1/tasks", ApiFixture.HTTP_TASK.formatted("t" + i))
                        .body()
                        .get("id")
                        .longValue())
                .toArray();
        execution(ids[0], NOON, "SUCCEEDED");
        execution(ids[0], NOON + 1, "FAILED");
        execution(ids[0], NOON + 2, "RUNNING");
        execution(ids[1], NOON, "RETRYING");
        execution(ids[2], NOON, "CLAIMED");

        JsonNode tasks = api.get("/api/v1/tasks?lastOutcome=true").body().get("items");

        assertEquals("FAILED", tasks.at("/0/lastOutcome").textValue());
        assertEquals("RETRYING", tasks.at("/1/lastOutcome").textValue());
        assertFalse(tasks.get(2).has("lastOutcome"), "it is still under way");
        assertFalse(tasks.get(3).has("lastOutcome"), "it has not run");
        assertFalse(api.get("/api/v1/tasks").body().at("/items/0").has("lastOutcome"), "nobody asked");
    }

    @Test
    void an_unfinished_execution_can_be_asked_to_be_cancelled_and_an_ended_one_cannot() {
        execution(7, NOON, "RUNNING");
        execution(7, NOON + 1, "FAILED");
        Reply asked = api.post("/api/v1/executions/7-" + NOON + "/cancel", "{\"reason\":\"wrong month\"}");
        assertAll(
                () -> assertEquals(202, asked.status()),
                () -> assertEquals("RUNNING", asked.body().get("state").textValue(), "the master does it"),
                () -> assertEquals(
                        1,
                        api.number("select count(*) from twinbell.cancel_request"
                                + " where reason = 'cancelled: wrong month'")),
                () -> assertEquals(
                        202,
                        api.post("/api/v1/executions/7-" + NOON + "/cancel", "").status()),
                () -> assertEquals(
                        409,
                        api.post("/api/v1/executions/7-" + (NOON + 1) + "/cancel", "")
                                .status()),
                () -> assertEquals(
                        404, api.post("/api/v1/executions/7-1/cancel", "").status()),
                () -> assertEquals(
                        404, api.post("/api/v1/executions/x/cancel", "").status()),
                () -> assertEquals(
                        400,
                        api.post("/api/v1/executions/7-" + NOON + "/cancel", "{\"why\":\"x\"}")
                                .status()));
    }

    @Test
    void an_ended_execution_can_be_run_again_and_an_unfinished_one_cannot() {
        long task = api.task("again");
        execution(task, NOON, "FAILED");
        String rerun = "/api/v1/executions/" + task + "-" + NOON + "/rerun";
        Reply again = api.post(rerun, "");
        assertAll(
                () -> assertEquals(200, again.status()),
                () -> assertEquals("PENDING", again.text("/state")),
                () -> assertEquals(2, again.number("/attempt")),
                () -> assertEquals("FAILED", again.text("/attempts/0/state")),
                () -> assertEquals(409, api.post(rerun, "").status()),
                () -> assertEquals(
                        404,
                        api.post("/api/v1/executions/" + task + "-1/rerun", "").status()));
    }

    @Test
    void executions_are_found_by_their_error_code_and_attempts_show_theirs() {
        long task = api.task("coded");
        execution(task, NOON, "FAILED");
        execution(task, NOON + 1, "FAILED");
        execution(task, NOON + 2, "TIMED_OUT");
        api.execute(
                "update twinbell.execution set error_code = case twinbell.millis(fire_time) when " + NOON
                        + " then 'HTTP_503' when " + (NOON + 1) + " then 'HTTP_404' else 'TIMEOUT' end, attempts ="
                        + " twinbell.with_attempt(null, 1, 'FAILED', 'a', 5, fire_time, fire_time, 'x', 'CONNECT_REFUSED', null)");
        JsonNode found = api.get("/api/v1/executions?errorCode=HTTP_503").body().get("items");
        assertAll(
                () -> assertEquals(1, found.size()),
                () -> assertEquals("HTTP_503", found.at("/0/errorCode").textValue()),
                () -> assertEquals(0, found("/api/v1/executions?errorCode=HTTP_5")),
                () -> assertEquals(400, api.get("/api/v1/executions?errorCode=").status()),
                () -> assertEquals(
                        "CONNECT_REFUSED",
                        api.get("/api/v1/executions/" + task + "-" + NOON).text("/attempts/0/errorCode")),
                () -> assertEquals(
                        "{\"rerun\":1,\"more\":false}",
                        api.post("/api/v1/executions/rerun?state=FAILED&errorCode=HTTP_404", "")
                                .body()
                                .toString()));
    }

    @Test
    void an_execution_shows_how_often_it_was_snoozed_and_its_attempts_say_why() {
        long task = api.task("later");
        execution(task, NOON, "RETRYING");
        assertEquals(
                true,
                api.get("/api/v1/executions/" + task + "-" + NOON)
                        .body()
                        .at("/snoozes")
                        .isMissingNode());
        api.execute("update twinbell.execution set snoozes = 2, attempts ="
                + " twinbell.with_attempt(null, 1, 'SNOOZED', 'a', 5, fire_time, fire_time, null, null, 'not ready')");
        JsonNode shown = api.get("/api/v1/executions/" + task + "-" + NOON).body();
        JsonNode listed = api.get("/api/v1/executions?brief=true").body().at("/items/0");
        assertAll(
                () -> assertEquals(2, shown.get("snoozes").intValue()),
                () -> assertEquals(2, listed.get("snoozes").intValue()),
                () -> assertEquals("SNOOZED", shown.at("/attempts/0/state").textValue()),
                () -> assertEquals("not ready", shown.at("/attempts/0/reason").textValue()));
    }

    @Test
    void a_single_execution_shows_its_checkpoint_and_a_list_does_not() {
        long task = api.task("long");
        execution(task, NOON, "RETRYING");
        String path = "/api/v1/executions/" + task + "-" + NOON;
        assertEquals(true, api.get(path).body().at("/checkpoint").isMissingNode());
        api.execute("update twinbell.execution set checkpoint = '{\"page\": 1e2}'");
        assertEquals("{\"page\":100}", api.get(path).body().get("checkpoint").toString());
        assertEquals(
                true,
                api.get("/api/v1/executions").body().at("/items/0/checkpoint").isMissingNode());
    }

    @Test
    void dead_letters_are_run_again_by_filter() {
        long task = api.task("again");
        execution(task, NOON, "FAILED");
        execution(task, NOON + 1, "SUCCEEDED");
        execution(task, NOON + 2, "FAILED");
        String all = "/api/v1/executions/rerun";
        assertAll(
                () -> assertEquals(400, api.post(all, "").status(), "which ones?"),
                () -> assertEquals(400, api.post(all + "?state=RUNNING", "").status()),
                () -> assertEquals(
                        400, api.post(all + "?state=FAILED&limit=1", "").status()),
                () -> assertEquals(
                        400, api.post(all + "?state=FAILED&task=x", "").status()));
        assertEquals(
                "{\"rerun\":1,\"more\":false}",
                api.post(all + "?state=FAILED&task=" + task + "&from=2026-03-01T12:00:00.001Z", "")
                        .body()
                        .toString());
        assertEquals(
                "{\"rerun\":1,\"more\":false}",
                api.post(all + "?state=FAILED&app=billing", "").body().toString());
        assertEquals(1, found("/api/v1/executions?state=SUCCEEDED"));
    }

    @Test
    void an_execution_shows_everything_that_is_known_of_it() {
        api.execute("insert into twinbell.execution (task_id, fire_time, app, name, state, attempt, epoch, node,"
                + " claimed_at, started_at, ended_at, output, error, reason, note) values (7, '2026-03-01T12:00:00Z',"
                + " 'billing', 'n', 'FAILED', 2, 5, 'a', '2026-03-01T12:00:00.001Z', '2026-03-01T12:00:00.017Z',"
                + " '2026-03-01T12:00:01Z', 'out', 'err', 'why', 'late: SUCCEEDED')");
        JsonNode execution = api.get("/api/v1/executions/7-" + NOON).body();
        assertEquals(
                "{\"id\":\"7-" + NOON + "\",\"taskId\":7,\"app\":\"billing\",\"name\":\"n\","
                        + "\"fireTime\":\"2026-03-01T12:00:00.000Z\",\"state\":\"FAILED\",\"attempt\":2,\"node\":\"a\","
                        + "\"epoch\":5,\"claimedAt\":\"2026-03-01T12:00:00.001Z\",\"startedAt\":\"2026-03-01T12:00:00.017Z\","
                        + "\"endedAt\":\"2026-03-01T12:00:01.000Z\",\"latenessMillis\":null,\"output\":\"out\","
                        + "\"error\":\"err\",\"errorCode\":null,\"reason\":\"why\",\"note\":\"late: SUCCEEDED\","
                        + "\"attempts\":[{\"attempt\":2,\"state\":\"FAILED\",\"node\":\"a\",\"epoch\":5,"
                        + "\"startedAt\":\"2026-03-01T12:00:00.017Z\",\"endedAt\":\"2026-03-01T12:00:01.000Z\","
                        + "\"error\":\"err\",\"reason\":\"why\"}]}",
                execution.toString());
    }

    @Test
    void only_a_fire_time_that_was_due_makes_a_start_late() {
        long id = api.task("late");
        execution(id, NOON, "SUCCEEDED");
        String late = "/api/v1/executions/" + id + "-" + NOON;
        api.execute("update twinbell.execution set attempt = 1, started_at = fire_time + interval '5 s',"
                + " ended_at = fire_time + interval '6 s'");
        assertEquals(5000, api.get(late).number("/latenessMillis"));
        api.execute("update twinbell.execution set origin = 'CHAINED'");
        assertEquals(5000, api.get(late).number("/latenessMillis"));
        String statistics = "/api/v1/tasks/" + id + "/statistics?from=2026-03-01T12:00:00Z&until=2026-03-01T12:00:01Z";
        assertEquals(5000, api.get(statistics).number("/latenessMillis/max"));
        for (String onRequest : List.of(
                "origin = 'TRIGGERED'", "origin = 'BACKFILLED'", "origin = 'CAUGHT_UP'", "origin = null, reruns = 1")) {
            api.execute("update twinbell.execution set " + onRequest);
            assertTrue(api.get(late).body().get("latenessMillis").isNull(), onRequest);
            assertTrue(api.get(statistics).body().at("/latenessMillis/max").isNull(), onRequest);
        }
    }

    @Test
    void a_row_that_stands_for_many_slots_says_until_when_and_how_many() {
        execution(7, NOON, "MISSED");
        assertFalse(api.get("/api/v1/executions/7-" + NOON).body().has("slots"));
        api.execute("update twinbell.execution set until_fire_time = '2026-03-01T13:00:00Z', slots = 61");
        JsonNode many = api.get("/api/v1/executions/7-" + NOON).body();
        assertEquals("2026-03-01T13:00:00.000Z", many.get("untilFireTime").textValue());
        assertEquals(61, many.get("slots").intValue());
        assertTrue(many.get("startedAt").isNull());
        assertTrue(many.get("latenessMillis").isNull());
    }

    @Test
    void pages_go_from_the_newest_fire_time_back_and_hold_each_execution_once() {
        for (int i = 0; i < 15; i++) {
            execution(1 + i % 3, NOON + i / 3, "SUCCEEDED");
        }
        List<String> seen = new ArrayList<>();
        String after = "";
        for (int page = 0; after != null; page++) {
            JsonNode body = api.get("/api/v1/executions?limit=4" + (after.isEmpty() ? "" : "&after=" + after))
                    .body();
            body.get("items").forEach(item -> seen.add(item.get("id").textValue()));
            after = body.get("next").textValue();
            if (page == 0) {
                execution(9, NOON + 1000, "SUCCEEDED");
            }
        }
        List<String> expected = IntStream.range(0, 15)
                .mapToObj(i -> (3 - i % 3) + "-" + (NOON + 4 - i / 3))
                .toList();
        assertEquals(expected, seen);
    }

    @Test
    void every_filter_finds_what_it_names() {
        long id = put("tagged", "nightly");
        long removed = put("removed", "nightly");
        execution(id, NOON, "SUCCEEDED");
        execution(removed, NOON + 1, "FAILED");
        execution(id, NOON + 2, "FAILED");
        api.execute("update twinbell.execution set node = 'b', epoch = 7 where state = 'FAILED'");
        assertStatus(204, api.delete("/api/v1/tasks/" + removed));
        assertAll(
                () -> assertEquals(2, found("/api/v1/executions?task=" + id)),
                () -> assertEquals(3, found("/api/v1/executions?app=billing")),
                () -> assertEquals(0, found("/api/v1/executions?app=other")),
                () -> assertEquals(2, found("/api/v1/executions?name=tagged")),
                () -> assertEquals(
                        1, found("/api/v1/executions?app=billing&name=removed"), "the ledger survives a task"),
                () -> assertEquals(2, found("/api/v1/executions?tag=nightly"), "a removed task has no tags"),
                () -> assertEquals(1, found("/api/v1/executions?tag=nightly&state=FAILED")),
                () -> assertEquals(3, found("/api/v1/executions?state=FAILED,SUCCEEDED")),
                () -> assertEquals(2, found("/api/v1/executions?from=2026-03-01T12:00:00.001Z")),
                () -> assertEquals(1, found("/api/v1/executions?until=2026-03-01T12:00:00.001Z")),
                () -> assertEquals(2, found("/api/v1/executions?node=b")),
                () -> assertEquals(0, found("/api/v1/executions?node=b&state=SUCCEEDED")),
                () -> assertEquals(2, found("/api/v1/executions?epoch=7")),
                () -> assertEquals(2, found("/api/v1/tasks/" + id + "/executions")),
                () -> assertEquals(1, found("/api/v1/tasks/" + id + "/executions?state=FAILED&epoch=7")),
                () -> assertEquals(1, found("/api/v1/tasks/" + removed + "/executions")),
                () -> assertEquals(
                        404,
                        api.get("/api/v1/tasks/" + (removed + 1) + "/executions")
                                .status()));
    }

    private static long put(String name, String tag) {
        return api.json(
                        "PUT",
                        "/api/v1/apps/billing/tasks/" + name,
                        "{\"tags\":[\"" + tag + "\"],\"schedule\":{\"every\":\"PT1H\"},\"handler\":{\"type\":\"log\"}}")
                .body()
                .get("id")
                .longValue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "task=x",
                "task=-1",
                "state=DONE",
                "state=FAILED,",
                "from=yesterday",
                "until=2026-03-01",
                "epoch=1.5",
                "order=random",
                "brief=maybe",
                "limit=0",
                "limit=1001",
                "after=7",
                "after=7-99999999999999999",
                "colour=red"
            })
    void a_bad_parameter_is_refused_by_name(String query) {
        Reply reply = api.get("/api/v1/executions?" + query);
        assertStatus(400, reply);
        assertEquals(query.substring(0, query.indexOf('=')), reply.firstError("parameter"));
    }

    @Test
    void an_id_that_no_execution_can_have_is_unknown() {
        for (String id : List.of("7", "x-1", "7--5", "7-9223372036854775807")) {
            assertEquals(404, api.get("/api/v1/executions/" + id).status(), id);
        }
    }

    @Test
    void oldest_first_and_brief_leaves_out_what_may_be_long() {
        for (int i = 0; i < 5; i++) {
            execution(1, NOON + i, "FAILED");
        }
        api.execute("update twinbell.execution set output = 'long', error = 'longer', reason = 'why'");
        JsonNode first =
                api.get("/api/v1/executions?order=oldest&brief=true&limit=3").body();
        JsonNode rest = api.get("/api/v1/executions?order=oldest&brief=true&limit=10000&after="
                        + first.get("next").textValue())
                .body();
        assertEquals(
                List.of("1-" + NOON, "1-" + (NOON + 1), "1-" + (NOON + 2)),
                first.get("items").findValuesAsText("id"));
        assertEquals(
                List.of("1-" + (NOON + 3), "1-" + (NOON + 4)), rest.get("items").findValuesAsText("id"));
        assertTrue(rest.get("next").isNull());
        JsonNode one = first.get("items").get(0);
        assertFalse(one.has("output") || one.has("error"), one.toString());
        assertEquals("why", one.get("reason").textValue());
    }

    @Test
    void statistics_count_rows_and_slots_by_state_and_tell_the_spread() {
        long id = api.task("counted");
        for (int i = 0; i < 100; i++) {
            execution(id, NOON + i, "SUCCEEDED");
        }
        api.execute("update twinbell.execution set started_at = fire_time + interval '2 ms',"
                + " ended_at = fire_time + interval '2 ms' + (twinbell.millis(fire_time) - " + NOON
                + ") * interval '1 ms'");
        execution(id, NOON + 200, "MISSED");
        execution(id, NOON + 1000, "FAILED");
        execution(id + 1, NOON, "FAILED");
        api.execute("update twinbell.execution set slots = 60 where state = 'MISSED'");
        String window = "?from=2026-03-01T12:00:00Z&until=2026-03-01T12:00:01Z";
        JsonNode figures =
                api.get("/api/v1/tasks/" + id + "/statistics" + window).body();
        assertEquals(
                "{\"MISSED\":{\"executions\":1,\"slots\":60},\"SUCCEEDED\":{\"executions\":100,\"slots\":100}}",
                figures.get("states").toString());
        assertEquals(
                "{\"median\":49,\"p99\":98,\"max\":99}",
                figures.get("durationMillis").toString());
        assertEquals(
                "{\"median\":2,\"p99\":2,\"max\":2}",
                figures.get("latenessMillis").toString());
        JsonNode none = api.get("/api/v1/tasks/" + id + "/statistics").body();
        assertEquals("{}", none.get("states").toString());
        assertTrue(none.at("/durationMillis/p99").isNull());
    }

    @Test
    void questions_for_trouble_and_for_a_task_are_served_by_indexes() {
        api.execute("insert into twinbell.execution (task_id, fire_time, app, name, state)"
                + " select i % 100, twinbell.instant(" + NOON + " + i), 'a', 'n', case when i % 500 = 0 then 'FAILED'"
                + " else 'SUCCEEDED' end from generate_series(1, 20000) i; analyze twinbell.execution");
        String select = "select * from twinbell.execution where ";
        String order = " order by fire_time desc, task_id desc limit 100";
        assertAll(
                () -> assertServedBy("(fire_time, task_id) WHERE", select + "state in ('FAILED', 'TIMED_OUT')" + order),
                () -> assertServedBy("(task_id, fire_time)", select + "task_id = 7" + order),
                () -> assertServedBy("(fire_time, task_id)", select + "epoch is null" + order));
    }

    /** Which index a statement uses is said by what the index is made of: partitions name theirs by themselves. */
    private static void assertServedBy(String made, String sql) {
        String plan = api.text("explain (format json) " + sql);
        List<String> used = new ArrayList<>();
        StrictJson.readStored(plan).findValuesAsText("Index Name").forEach(used::add);
        assertFalse(used.isEmpty(), plan);
        for (String index : used) {
            String definition = api.text("select indexdef from pg_indexes where indexname = '" + index + "'");
            assertTrue(definition.contains(made), definition + " for " + sql);
        }
    }

    private static int found(String path) {
        Reply reply = api.get(path);
        assertStatus(200, reply);
        return reply.body().get("items").size();
    }

    @Test
    void a_trigger_leaves_a_pending_execution_at_now() {
        long id = api.task("by-hand");
        long before = api.number("select twinbell.now_millis()");
        Reply reply = api.post("/api/v1/tasks/" + id + "/trigger", "{\"reason\":\"asked for\"}");
        JsonNode execution = reply.body();
        assertAll(
                () -> assertEquals(201, reply.status()),
                () -> assertEquals("PENDING", execution.get("state").textValue()),
                () -> assertEquals(
                        "triggered: asked for", execution.get("reason").textValue()),
                () -> assertTrue(
                        Instants.millis(execution.get("fireTime").textValue()) >= before, execution.toString()),
                () -> assertEquals(
                        execution,
                        api.get(reply.raw().headers().firstValue("Location").orElseThrow())
                                .body()));
    }

    @Test
    void triggers_at_the_same_time_get_a_slot_each_and_none_of_the_schedules_own() {
        long id = api.post(
                        "/api/v1/tasks",
                        "{\"app\":\"a\",\"name\":\"fast\",\"schedule\":{\"every\":\"PT0.01S\"},\"handler\":{\"type\":\"log\"}}")
                .body()
                .get("id")
                .longValue();
        List<String> fireTimes = IntStream.range(0, 20)
                .mapToObj(i -> CompletableFuture.supplyAsync(
                        () -> api.post("/api/v1/tasks/" + id + "/trigger", "").body()))
                .toList()
                .stream()
                .map(reply -> reply.join().get("fireTime").textValue())
                .toList();
        long start = Instants.millis(api.get("/api/v1/tasks/" + id).text("/start"));
        assertEquals(20, fireTimes.stream().distinct().count());
        assertTrue(
                fireTimes.stream().noneMatch(time -> (Instants.millis(time) - start) % 10 == 0), fireTimes::toString);
    }

    @Test
    void a_task_whose_definition_can_not_be_read_can_not_be_triggered() {
        long id = api.task("broken");
        api.execute("update twinbell.full_task set definition = '{}'");
        assertStatus(409, api.post("/api/v1/tasks/" + id + "/trigger", ""));
        assertEquals(0, api.number("select count(*) from twinbell.execution"));
    }
}
