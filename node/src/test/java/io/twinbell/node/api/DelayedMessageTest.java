package io.twinbell.node.api;

import static io.twinbell.node.api.ApiFixture.assertStatus;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.node.api.ApiFixture.Reply;
import java.net.http.HttpRequest;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A message that is asked for again: a delay counts from the request, and a finished task holds no name. */
class DelayedMessageTest {
    private static final String KEY = "/api/v1/apps/shop/tasks/order-1";
    private static final String TASKS = "/api/v1/tasks";
    private static final String BATCH = TASKS + "/batch";
    private static final String LOG = "\"handler\":{\"type\":\"log\"}";

    @AutoClose
    private final ApiFixture api = new ApiFixture();

    private static String task(String schedule) {
        return "{\"schedule\":" + schedule + "," + LOG + "}";
    }

    private static String named(String schedule) {
        return "{\"app\":\"shop\",\"name\":\"order-1\"," + task(schedule).substring(1);
    }

    private static String batch(String schedule) {
        return "[" + named(schedule) + "]";
    }

    private static long millis(JsonNode task) {
        return Instant.parse(task.get("nextFireTime").textValue()).toEpochMilli();
    }

    /** As a claim of its last slot leaves a task. */
    private void finish() {
        api.execute("update twinbell.task_state set previous_fire_time = next_fire_time, next_fire_time = null,"
                + " state = 'FINISHED', runs = runs + 1, version = version + 1");
    }

    /** As if the task had been written an hour ago. */
    private void age() {
        api.execute("update twinbell.full_task set definition = jsonb_set(definition, '{start}', to_jsonb(to_char("
                + "(definition ->> 'start')::timestamptz at time zone 'UTC' - interval '1 hour',"
                + " 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"')))");
        api.execute("update twinbell.task_state set next_fire_time = next_fire_time - interval '1 hour'");
    }

    private JsonNode stored() {
        return api.get(KEY).body();
    }

    private void startsAnew(Runnable request) {
        api.json("PUT", KEY, task("{\"in\":\"PT2H\"}"));
        age();
        long before = millis(stored());
        request.run();
        long moved = millis(stored()) - before;
        assertTrue(moved >= 3_600_000 && moved < 3_660_000, "moved by " + moved + " ms");
    }

    @Test
    void the_same_delay_put_again_starts_anew() {
        startsAnew(() -> assertEquals(
                200, api.json("PUT", KEY, task("{\"in\":\"PT2H\"}")).status()));
    }

    @Test
    void the_same_delay_in_a_batch_that_replaces_starts_anew() {
        startsAnew(() -> assertEquals(
                1,
                api.post(BATCH + "?ifExists=REPLACE", batch("{\"in\":\"PT2H\"}"))
                        .number("/existing")));
    }

    @Test
    void the_same_delay_patched_starts_anew() {
        startsAnew(() -> assertEquals(
                200, api.json("PATCH", KEY, "{\"schedule\":{\"in\":\"PT2H\"}}").status()));
    }

    @Test
    void a_paused_task_whose_delay_starts_anew_stays_paused() {
        startsAnew(() -> {
            api.json("POST", KEY + "/pause", "{\"reason\":\"stocktaking\"}");
            JsonNode paused = stored();
            JsonNode put = api.json("PUT", KEY, task("{\"in\":\"PT2H\"}")).body();
            assertEquals("PAUSED", put.get("state").textValue());
            assertEquals(paused.get("stateReason"), put.get("stateReason"));
        });
    }

    @Test
    void a_patch_of_something_else_leaves_the_delay_running() {
        api.json("PUT", KEY, task("{\"in\":\"PT2H\"}"));
        age();
        JsonNode before = stored();
        JsonNode after = api.json("PATCH", KEY, "{\"tags\":[\"vip\"]}").body();
        assertEquals(before.get("nextFireTime"), after.get("nextFireTime"));
        assertEquals("vip", after.at("/tags/0").textValue());
    }

    @Test
    void a_delay_that_names_its_start_counts_from_there_however_often_it_is_put() {
        String body = "{\"start\":\"2031-01-01T00:00:00Z\","
                + task("{\"in\":\"PT2H\"}").substring(1);
        JsonNode first = api.json("PUT", KEY, body).body();
        assertEquals("2031-01-01T02:00:00.000Z", first.get("nextFireTime").textValue());
        assertEquals(first, api.json("PUT", KEY, body).body());
    }

    @Test
    void a_delay_of_nothing_put_again_is_now() {
        api.json("PUT", KEY, task("{\"in\":\"PT2H\"}"));
        Reply now = api.json("PUT", KEY, task("{\"in\":\"PT0S\"}"));
        assertStatus(200, now);
        assertEquals("ACTIVE", now.text("/state"));
        assertEquals(now.body().get("start"), now.body().get("nextFireTime"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"{\"every\":\"PT5M\"}", "{\"cron\":\"*/5 * * * *\"}", "{\"at\":\"2031-01-01T00:00:00Z\"}"})
    void any_other_schedule_put_again_changes_nothing(String schedule) {
        JsonNode first = api.json("PUT", KEY, task(schedule)).body();
        assertEquals(first, api.json("PUT", KEY, task(schedule)).body());
    }

    @Test
    void a_finished_name_is_free_on_every_way_that_creates() {
        String in = "{\"in\":\"PT2H\"}";
        JsonNode last = api.post(TASKS, named(in)).body();
        List<Runnable> ways = List.of(
                () -> assertEquals(201, api.post(TASKS, named(in)).status()),
                () -> assertEquals(201, api.json("PUT", KEY, task(in)).status()),
                () -> assertEquals(
                        201, api.json("PUT", KEY + "?ifExists=KEEP", task(in)).status()),
                () -> assertEquals(
                        201, api.json("PUT", KEY + "?ifExists=REFUSE", task(in)).status()),
                () -> assertEquals(1, created(api.post(BATCH, batch(in)))),
                () -> assertEquals(1, created(api.post(BATCH + "?ifExists=KEEP", batch(in)))),
                () -> assertEquals(1, created(api.post(BATCH + "?ifExists=REPLACE", batch(in)))));
        for (Runnable way : ways) {
            finish();
            assertEquals(1, created(api.post(BATCH + "?dryRun=true", batch(in))), "foreseen");
            way.run();
            JsonNode now = stored();
            assertEquals("ACTIVE", now.get("state").textValue());
            assertEquals(0, now.get("runs").intValue());
            assertNotEquals(last.get("id"), now.get("id"), "slots of its own");
            last = now;
        }
        assertEquals(1, api.tasks());
    }

    private static int created(Reply reply) {
        return reply.number("/created");
    }

    @Test
    void the_ledger_of_the_finished_task_stays_and_is_found_by_the_name() {
        api.post(TASKS, named("{\"in\":\"PT2H\"}"));
        api.execute("insert into twinbell.execution (task_id, fire_time, app, name, state, ended_at)"
                + " select id, date_trunc('milliseconds', now()), app, name, 'SUCCEEDED', now() from twinbell.task");
        finish();
        api.json("PUT", KEY, task("{\"in\":\"PT2H\"}"));
        assertEquals(
                1,
                api.get("/api/v1/executions?app=shop&name=order-1")
                        .body()
                        .get("items")
                        .size());
    }

    @Test
    void an_instant_that_the_finished_task_has_fired_at_is_not_asked_for_again_by_the_same_put() {
        String at = task("{\"at\":\"2031-01-01T00:00:00Z\"}");
        api.json("PUT", KEY, at);
        finish();
        JsonNode finished = stored();
        Reply same = api.json("PUT", KEY, at);
        assertStatus(200, same);
        assertEquals(finished, same.body());
        Reply other = api.json("PUT", KEY, task("{\"at\":\"2031-01-01T00:00:01Z\"}"));
        assertStatus(201, other);
        assertEquals("ACTIVE", other.text("/state"));
    }

    @Test
    void a_name_that_will_still_fire_is_kept() {
        JsonNode first = api.post(TASKS, named("{\"in\":\"PT2H\"}")).body();
        assertStatus(409, api.post(TASKS, named("{\"in\":\"PT2H\"}")));
        api.json("POST", KEY + "/pause", "{}");
        assertStatus(409, api.post(TASKS, named("{\"in\":\"PT2H\"}")));
        Reply kept = api.json("PUT", KEY + "?ifExists=KEEP", task("{\"in\":\"PT9H\"}"));
        assertEquals(first.get("id"), kept.body().get("id"));
        assertEquals(first.get("nextFireTime"), kept.body().get("nextFireTime"));
    }

    @Test
    void many_concurrent_requests_for_a_finished_name_create_it_once() {
        api.post(TASKS, named("{\"in\":\"PT2H\"}"));
        finish();
        HttpRequest.Builder request = api.request(TASKS)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(named("{\"in\":\"PT2H\"}")));
        List<CompletableFuture<Integer>> answers = IntStream.range(0, 16)
                .mapToObj(i -> CompletableFuture.supplyAsync(() -> api.sendForStatus(request.copy())))
                .toList();
        List<Integer> statuses =
                answers.stream().map(CompletableFuture::join).sorted().toList();
        assertEquals(201, statuses.get(0));
        assertEquals(List.of(409), statuses.stream().skip(1).distinct().toList());
        assertEquals(1, api.tasks());
    }

    @Test
    void a_message_is_patched_paused_resumed_and_triggered_by_its_key() {
        api.json("PUT", KEY, task("{\"in\":\"PT2H\"}"));
        assertEquals("ops", api.json("PATCH", KEY, "{\"owner\":\"ops\"}").text("/owner"));
        assertEquals("PAUSED", api.post(KEY + "/pause", "{}").text("/state"));
        assertEquals("ACTIVE", api.post(KEY + "/resume", "{}").text("/state"));
        assertStatus(201, api.post(KEY + "/trigger", "{}"));
        Reply unknown = api.json("PATCH", KEY + "0", "{}");
        assertStatus(404, unknown);
        assertTrue(unknown.text("/detail").contains("no task named \"order-10\""));
    }

    @Test
    void a_patch_that_asks_for_a_delay_after_the_last_run_says_why_not() {
        api.json("PUT", KEY, "{\"maxRuns\":1," + task("{\"in\":\"PT2H\"}").substring(1));
        finish();
        Reply refused = api.json("PATCH", KEY, "{\"schedule\":{\"in\":\"PT2H\"}}");
        assertStatus(400, refused);
        assertEquals("/maxRuns", refused.firstError("pointer"));
    }

    @Test
    void a_version_guards_the_finished_task_too() {
        api.json("PUT", KEY, task("{\"in\":\"PT2H\"}"));
        finish();
        String of = "{\"version\":%s," + task("{\"in\":\"PT2H\"}").substring(1);
        assertStatus(409, api.json("PUT", KEY, of.formatted(1)));
        assertStatus(201, api.json("PUT", KEY, of.formatted(2)));
    }
}
