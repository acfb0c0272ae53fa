package io.twinbell.node.api.task;

import static io.twinbell.node.api.ApiFixture.HTTP_TASK;
import static io.twinbell.node.api.ApiFixture.assertStatus;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.node.api.ApiFixture;
import io.twinbell.node.api.ApiFixture.Reply;
import io.twinbell.node.api.OpenApiRoutes;
import io.twinbell.node.api.exchange.Route;
import java.sql.Connection;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class FilteredTaskRoutesTest {
    @RegisterExtension
    static final ApiFixture api = new ApiFixture();

    private static JsonNode create(int count, String more) {
        String tasks = IntStream.range(0, count)
                .mapToObj(i -> HTTP_TASK.formatted("task-" + i).replaceFirst("\\{", "{" + more))
                .collect(Collectors.joining(",", "[", "]"));
        return api.post("/api/v1/tasks/batch", tasks).body();
    }

    private static List<String> names(Reply reply) {
        assertStatus(200, reply);
        return reply.body().get("items").findValuesAsText("name");
    }

    @Test
    void pages_hold_every_task_once_although_tasks_come_and_go_between_them() {
        create(25, "");
        List<String> seen = new ArrayList<>();
        String after = "";
        for (int page = 0; after != null; page++) {
            Reply reply = api.get("/api/v1/tasks?limit=10" + (after.isEmpty() ? "" : "&after=" + after));
            seen.addAll(names(reply));
            after = reply.text("/next");
            if (page == 0) {
                api.execute("delete from twinbell.task where name = '" + seen.get(3) + "'");
                api.task("new");
            }
        }
        assertEquals(26, seen.size());
        assertEquals(26, seen.stream().distinct().count());
        assertEquals("new", seen.get(25));
    }

    @Test
    void the_last_page_says_that_it_is_the_last() {
        create(10, "");
        assertTrue(api.get("/api/v1/tasks?limit=10").body().get("next").isNull());
        assertTrue(api.get("/api/v1/tasks?limit=9").body().get("next").isTextual());
    }

    @Test
    void every_filter_finds_what_it_names() {
        long first = api.task("Close-Day_100%");
        api.json("PUT", "/api/v1/apps/shop/tasks/greet", """
                {"owner":"ann","tags":["x","y"],"schedule":{"every":"PT1H"},"handler":{"type":"java","key":"greeter"}}""");
        api.post("/api/v1/tasks/" + first + "/pause", "");
        assertAll(
                () -> assertEquals(List.of("greet"), names(api.get("/api/v1/tasks?app=shop"))),
                () -> assertEquals(List.of("greet"), names(api.get("/api/v1/tasks?tag=y"))),
                () -> assertEquals(List.of("greet"), names(api.get("/api/v1/tasks?owner=ann"))),
                () -> assertEquals(List.of("greet"), names(api.get("/api/v1/tasks?state=ACTIVE"))),
                () -> assertEquals(List.of("greet"), names(api.get("/api/v1/tasks?handler=java"))),
                () -> assertEquals(List.of("greet"), names(api.get("/api/v1/tasks?handler=greeter"))),
                () -> assertEquals(List.of("Close-Day_100%"), names(api.get("/api/v1/tasks?q=day_1"))),
                () -> assertEquals(List.of("Close-Day_100%"), names(api.get("/api/v1/tasks?q=%25"))),
                () -> assertEquals(List.of(), names(api.get("/api/v1/tasks?q=_x"))),
                () -> assertEquals(List.of(), names(api.get("/api/v1/tasks?app=shop&state=PAUSED"))));
    }

    @Test
    void a_bad_query_parameter_is_named() {
        assertAll(
                () -> assertRefused("limit", api.get("/api/v1/tasks?limit=0")),
                () -> assertRefused("limit", api.get("/api/v1/tasks?limit=1001")),
                () -> assertRefused("limit", api.get("/api/v1/tasks?limit=ten")),
                () -> assertRefused("after", api.get("/api/v1/tasks?after=x")),
                () -> assertRefused("state", api.get("/api/v1/tasks?state=active")),
                () -> assertRefused("ap", api.get("/api/v1/tasks?ap=x")),
                () -> assertRefused("app", api.get("/api/v1/tasks?app=a&app=b")),
                () -> assertRefused("tag", api.get("/api/v1/tasks?app=a&tag=%FF")),
                () -> assertRefused("tag", api.delete("/api/v1/tasks?app=a&tag=%00")),
                () -> assertRefused("from", api.get("/api/v1/executions?from=now")),
                () -> assertRefused("after", api.get("/api/v1/executions?after=12")),
                () -> assertRefused("limit", api.delete("/api/v1/tasks?limit=3&app=a")),
                () -> assertRefused("app", api.get("/api/v1/tasks?app")),
                () -> assertRefused("app", api.get("/api/v1/executions?app=&state=FAILED")),
                () -> assertRefused("force", api.get("/api/v1/cluster?force=true")),
                () -> assertRefused("version", api.delete("/api/v1/limits/x?version=1")),
                () -> assertRefused("reson", api.post("/api/v1/tasks/1/pause?reson=x", "")));
    }

    @Test
    void an_empty_filter_beside_another_changes_nothing() {
        create(2, "");
        assertAll(
                () -> assertRefused("app", api.post("/api/v1/tasks/pause?app=&state=ACTIVE", "")),
                () -> assertRefused("tag", api.post("/api/v1/tasks/pause?state=ACTIVE&tag", "")),
                () -> assertRefused("owner", api.delete("/api/v1/tasks?owner=&app=billing")),
                () -> assertRefused("q", api.post("/api/v1/tasks/resume?app=billing&q=", "")),
                () -> assertRefused("task", api.post("/api/v1/executions/rerun?task=&state=FAILED", "")),
                () -> assertRefused("ifExists", api.post("/api/v1/tasks/batch?ifExists=", "[]")),
                () -> assertEquals(2, api.number("select count(*) from twinbell.task_state where state = 'ACTIVE'")));
    }

    @Test
    void every_declared_parameter_of_the_description_is_one_that_its_route_takes() {
        JsonNode paths = OpenApiRoutes.document().get("paths");
        JsonNode components = OpenApiRoutes.document();
        for (Route route : api.api.routes()) {
            JsonNode described = paths.get(route.path());
            Set<String> names = new TreeSet<>();
            for (JsonNode holder :
                    List.of(described, described.get(route.method().name().toLowerCase(Locale.ROOT)))) {
                for (JsonNode parameter : holder.path("parameters")) {
                    JsonNode whole = parameter.has("$ref")
                            ? components.at(parameter.get("$ref").textValue().substring(1))
                            : parameter;
                    if (whole.get("in").textValue().equals("query")) {
                        names.add(whole.get("name").textValue());
                    }
                }
            }
            assertEquals(names, new TreeSet<>(route.parameters()), route.method() + " " + route.path());
        }
    }

    private static void assertRefused(String parameter, Reply reply) {
        assertStatus(400, reply);
        assertEquals(parameter, reply.firstError("parameter"), reply.body().toString());
    }

    @Test
    void clearing_pausing_and_resuming_need_a_filter() {
        create(3, "");
        assertAll(
                () -> assertEquals(400, api.delete("/api/v1/tasks").status()),
                () -> assertEquals(400, api.delete("/api/v1/tasks?app=").status()),
                () -> assertEquals(400, api.post("/api/v1/tasks/pause", "").status()),
                () -> assertEquals(400, api.post("/api/v1/tasks/resume", "").status()),
                () -> assertEquals(3, api.number("select count(*) from twinbell.task_state where state = 'ACTIVE'")));
    }

    @Test
    void a_clear_removes_what_it_means_and_nothing_else() {
        create(3, "\"tags\":[\"old\"],");
        api.task("stays");
        assertEquals(3, api.delete("/api/v1/tasks?tag=old").number("/changed"));
        assertEquals(List.of("stays"), names(api.get("/api/v1/tasks")));
        assertEquals(0, api.delete("/api/v1/tasks?tag=old").number("/changed"));
    }

    @Test
    void all_tasks_of_the_pair_are_cleared_only_with_a_confirmation_and_can_be_counted_before() {
        create(3, "");
        api.json("PUT", "/api/v1/apps/shop/tasks/greet", """
                {"schedule":{"every":"PT1H"},"handler":{"type":"log"}}""");
        assertEquals(1, changed("/api/v1/tasks?app=shop&dryRun=true"));
        assertEquals(4, changed("/api/v1/tasks?dryRun=true"));
        assertTrue(api.delete("/api/v1/tasks").body().toString().contains("confirm=ALL"));
        assertRefused("confirm", api.delete("/api/v1/tasks?confirm=yes"));
        assertRefused("confirm", api.delete("/api/v1/tasks?confirm=ALL&app=shop"));
        assertEquals(4, api.tasks());
        assertEquals(4, changed("/api/v1/tasks?confirm=ALL"));
        assertEquals(0, api.tasks());
    }

    @Test
    void a_clear_settles_the_passed_slots_and_waiting_rows_of_each_task_as_a_single_removal_does() {
        create(2, "");
        api.execute("update twinbell.task_state set next_fire_time = clock_timestamp() - interval '1 second'");
        long waiting = api.number("select min(id) from twinbell.task");
        api.post("/api/v1/tasks/" + waiting + "/trigger", "");
        assertEquals(1, api.number("select count(*) from twinbell.execution where state = 'PENDING'"));
        assertEquals(2, changed("/api/v1/tasks?confirm=ALL"));
        assertEquals(
                2,
                api.number("select count(*) from twinbell.passed_slots"
                        + " where reason = 'its task was removed before it was claimed'"));
    }

    private static int changed(String path) {
        return api.delete(path).number("/changed");
    }

    @Test
    void a_bulk_change_that_takes_long_is_answered_in_parts_that_a_cursor_joins() throws Exception {
        create(1201, "");
        long first = api.number("select min(id) from twinbell.task");
        CompletableFuture<Reply> removal;
        try (Connection holder = api.database.getConnection();
                Statement statement = holder.createStatement()) {
            holder.setAutoCommit(false);
            statement.execute("select 1 from twinbell.task_state where task_id = " + first + " for update");
            removal = CompletableFuture.supplyAsync(() -> api.delete("/api/v1/tasks?app=billing"));
            await().until(() -> api.number("select count(*) from pg_stat_activity where wait_event_type = 'Lock'"
                            + " and datname = current_database()")
                    == 1);
            api.serverTicker.pass(FilteredTaskRoutes.LONGEST_PART);
            holder.commit();
        }
        JsonNode part = removal.join().body();
        assertEquals(500, part.get("changed").intValue());
        assertEquals(701, api.number("select count(*) from twinbell.task_state"));
        Reply rest =
                api.delete("/api/v1/tasks?app=billing&after=" + part.get("next").textValue());
        assertEquals(701, rest.number("/changed"));
        assertFalse(rest.body().has("next"));
        assertStatus(400, api.delete("/api/v1/tasks?app=billing&after=x"));
        assertEquals(400, api.delete("/api/v1/tasks?after=" + first).status(), "a cursor is no filter");
    }

    @Test
    void a_bulk_pause_and_resume_reach_every_task_over_many_transactions() {
        create(1201, "");
        Reply paused = api.post("/api/v1/tasks/pause?app=billing", "{\"reason\":\"night\"}");
        assertEquals(1201, paused.number("/changed"));
        assertEquals(
                1201,
                api.number("select count(*) from twinbell.task_state where state = 'PAUSED'"
                        + " and state_reason = 'night' and version = 2 and next_fire_time is not null"));
        assertEquals(0, api.post("/api/v1/tasks/pause?app=billing", "").number("/changed"));
        api.execute("update twinbell.task_state set next_fire_time = clock_timestamp() - interval '1 second'");
        assertEquals(1201, api.post("/api/v1/tasks/resume?state=PAUSED", "").number("/changed"));
        assertEquals(
                1201,
                api.number("select count(*) from twinbell.passed_slots"
                        + " where state = 'SKIPPED' and reason = 'paused: night'"));
    }

    @Test
    void a_bulk_trigger_runs_each_matching_task_once_and_counts_those_that_cannot_be_read() {
        create(230, "");
        api.execute("update twinbell.full_task set definition = definition - 'schedule'"
                + " where id = (select min(id) from twinbell.full_task)");
        api.post("/api/v1/tasks", HTTP_TASK.formatted("other").replace("\"billing\"", "\"shop\""));
        Reply triggered = api.post("/api/v1/tasks/trigger?app=billing", "{\"reason\":\"after the repair\"}");
        assertEquals("{\"triggered\":229,\"unreadable\":1}", triggered.body().toString());
        assertEquals(
                229,
                api.number("select count(distinct task_id) from twinbell.execution where state = 'PENDING'"
                        + " and app = 'billing' and reason = 'triggered: after the repair'"));
        assertEquals(229, api.number("select count(*) from twinbell.execution"));
    }

    @Test
    void a_bulk_trigger_of_all_tasks_of_the_pair_is_refused() {
        create(1, "");
        Reply refused = api.post("/api/v1/tasks/trigger", "");
        assertStatus(400, refused);
        assertTrue(refused.text("/detail").startsWith("at least one of app"));
        assertEquals(0, api.number("select count(*) from twinbell.execution"));
    }

    @Test
    void a_definition_that_no_json_reader_takes_does_not_hide_the_others() {
        create(2, "");
        api.execute(
                "update twinbell.full_task set definition = jsonb_set(definition, '{data}',"
                        + " (repeat('[', 3000) || repeat(']', 3000))::jsonb) where id = (select min(id) from twinbell.full_task)");
        JsonNode items = api.get("/api/v1/tasks?app=billing").body().get("items");
        assertEquals(2, items.size());
        assertTrue(items.get(0).get("definitionError").textValue().contains("not JSON"));
        assertEquals("billing", items.get(0).get("app").textValue());
        assertFalse(items.get(1).has("definitionError"));
    }

    @Test
    void data_that_answers_could_not_carry_is_refused() {
        String deep = "[".repeat(101) + "]".repeat(101);
        Reply refused = api.post(
                "/api/v1/tasks",
                "{\"app\":\"a\",\"name\":\"deep\",\"schedule\":{\"every\":\"1h\"},"
                        + "\"handler\":{\"type\":\"log\",\"message\":\"x\"},\"data\":" + deep + "}");
        assertStatus(400, refused);
        assertEquals("/data", refused.firstError("pointer"));
    }

    @Test
    void a_bulk_pause_leaves_what_was_paused_before_with_its_own_end() {
        create(2, "");
        String first = "/api/v1/tasks/" + api.number("select min(id) from twinbell.task");
        api.post(first + "/pause", "{\"reason\":\"for good\"}");
        Reply paused =
                api.post("/api/v1/tasks/pause?app=billing", "{\"by\":\"bob\",\"until\":\"2100-01-01T00:00:00Z\"}");
        assertEquals(1, paused.number("/changed"));
        JsonNode before = api.get(first).body();
        assertEquals("for good", before.get("stateReason").textValue());
        assertTrue(before.get("pausedUntil").isNull());
    }

    @Test
    void a_batch_of_ten_thousand_is_stored_at_once_and_one_more_is_refused() {
        JsonNode answer = create(10_000, "");
        assertEquals(10_000, answer.get("created").intValue());
        assertEquals(10_000, api.tasks());
        assertEquals(10_000, api.number("select count(*) from twinbell.task_state where next_fire_time is not null"));
        Reply tooMany = api.post("/api/v1/tasks/batch", "[" + "0,".repeat(10_000) + "0]");
        assertStatus(400, tooMany);
        assertTrue(tooMany.firstError("detail").contains("more than 10000"));
    }

    @Test
    void a_batch_answers_per_item_and_stores_what_is_right() {
        api.task("taken");
        Reply reply = api.post(
                "/api/v1/tasks/batch",
                "{\"items\":[" + HTTP_TASK.formatted("taken") + "," + HTTP_TASK.formatted("new") + ",{\"app\":\"x\"},"
                        + HTTP_TASK.formatted("new") + "," + HTTP_TASK.formatted("another") + ",7]}");
        assertStatus(200, reply);
        assertEquals(
                "409 201 400 409 201 400",
                IntStream.range(0, 6)
                        .mapToObj(
                                i -> reply.body().at("/items/" + i + "/status").asText())
                        .collect(Collectors.joining(" ")));
        assertEquals(2, reply.number("/created"));
        assertEquals(4, reply.number("/refused"));
        assertEquals("/name", reply.text("/items/2/problem/errors/0/pointer"));
        long id = reply.body().at("/items/1/id").longValue();
        assertEquals("new", api.get("/api/v1/tasks/" + id).text("/name"));
        assertEquals(3, api.tasks());
    }

    @Test
    void a_batch_of_something_else_is_refused() {
        assertStatus(400, api.post("/api/v1/tasks/batch", "{}"));
        assertStatus(400, api.post("/api/v1/tasks/batch", "{\"tasks\":[]}"));
        assertStatus(400, api.post("/api/v1/tasks/batch", "\"x\""));
        assertEquals(0, api.post("/api/v1/tasks/batch", "[]").number("/created"));
    }
}
