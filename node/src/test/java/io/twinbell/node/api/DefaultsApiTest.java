package io.twinbell.node.api;

import static io.twinbell.node.api.ApiFixture.assertStatus;
import static io.twinbell.node.api.TypedLine.assertExit;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.node.api.ApiFixture.Reply;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DefaultsApiTest {
    private static final String DAILY = "\"schedule\":{\"cron\":\"0 12 * * *\"}";

    @RegisterExtension
    static final ApiFixture api = new ApiFixture();

    @TempDir
    private Path folder;

    private static Reply put(String key, String body) {
        return api.json("PUT", "/api/v1/defaults/" + key, body);
    }

    private static JsonNode create(String name, String more) {
        Reply made = api.post("/api/v1/tasks", task(name, more));
        assertStatus(201, made);
        return made.body();
    }

    private static String task(String name, String more) {
        return "{\"app\":\"shop\",\"name\":\"" + name + "\",\"handler\":{\"type\":\"log\"}," + more + "}";
    }

    private static JsonNode task(String name) {
        return api.get("/api/v1/apps/shop/tasks/" + name).body();
    }

    @Test
    void defaults_are_created_replaced_listed_and_removed() {
        Reply created = put("app:shop", "{\"retry\":{\"maxAttempts\":3}}");
        assertStatus(201, created);
        assertEquals("PT1S", created.text("/retry/backoff"));
        assertStatus(201, put("cluster", "{\"timeout\":\"PT10S\"}"));
        long version = created.body().get("version").longValue();
        Reply replaced = put("app:shop", "{\"version\":" + version + ",\"priority\":7}");
        assertStatus(200, replaced);
        assertStatus(409, put("app:shop", "{\"version\":" + version + ",\"priority\":8}"));
        assertEquals(
                "[app:shop, cluster]",
                api.get("/api/v1/defaults").body().findValuesAsText("key").toString());
        assertEquals(
                "cluster", api.get("/api/v1/defaults?limit=1&after=app:shop").text("/items/0/key"));
        assertEquals(replaced.body(), api.get("/api/v1/defaults/app:shop").body());
        assertStatus(204, api.delete("/api/v1/defaults/app:shop"));
        assertStatus(404, api.delete("/api/v1/defaults/app:shop"));
        assertStatus(404, api.get("/api/v1/defaults/app:shop"));
    }

    @Test
    void each_change_of_defaults_is_recorded() {
        api.execute("truncate twinbell.audit_entry");
        put("app:shop", "{\"priority\":7}");
        put("app:shop", "{\"priority\":8}");
        api.delete("/api/v1/defaults/app:shop");
        assertEquals(
                "CREATE {\"priority\": 7}, CHANGE {\"priority\": 8}, REMOVE {}",
                api.text("select string_agg(act || ' ' || (after ->> 'content'), ', ' order by id)"
                        + " from twinbell.audit_entry where kind = 'DEFAULTS' and object = 'app:shop'"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            {}|
            {"name":"x"}|/name
            {"timeout":"P8D"}|/timeout
            {"expireAfter":"PT0S"}|/expireAfter
            {"schedule":{"cron":"* * * * *"}}|/schedule/zone
            {"schedule":{"zone":"Europe/Berlim"}}|/schedule/zone
            {"retry":{"maxAttempts":0}}|/retry/maxAttempts
            {"overlap":"NEVER"}|/overlap
            {"priority":10}|/priority
            {"timeout":"PT1S","createdAt":"2026-01-01T00:00:00Z"}|/createdAt
            """)
    void an_invalid_default_is_refused_with_its_pointer(String body, String pointer) {
        Reply refused = put("cluster", body);
        assertStatus(400, refused);
        assertEquals(pointer == null ? "" : pointer, refused.firstError("pointer"));
        assertStatus(404, api.get("/api/v1/defaults/cluster"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"tag:x", "shop", "app:", "app:%0A"})
    void a_key_that_names_neither_cluster_nor_app_is_refused(String key) {
        assertStatus(400, put(key, "{\"priority\":3}"));
    }

    @Test
    void an_app_overrides_the_cluster_and_a_task_overrides_both() {
        put("cluster", "{\"timeout\":\"PT10S\",\"priority\":3,\"schedule\":{\"zone\":\"Europe/Berlin\"}}");
        put("app:shop", "{\"timeout\":\"PT20S\"}");
        JsonNode plain = create("plain", DAILY);
        assertEquals("PT20S", plain.get("timeout").asText());
        assertEquals(3, plain.get("priority").intValue());
        assertEquals("Europe/Berlin", plain.at("/schedule/zone").asText());
        assertEquals(
                "{\"timeout\":\"APP\",\"priority\":\"CLUSTER\",\"schedule.zone\":\"CLUSTER\"}",
                sorted(plain.get("origins")));
        JsonNode own = create(
                "own",
                "\"timeout\":\"PT20S\",\"priority\":3,\"schedule\":{\"cron\":\"0 12 * * *\",\"zone\":\"Asia/Tokyo\"}");
        assertFalse(own.has("origins"), own.toString());
        assertEquals("Asia/Tokyo", own.at("/schedule/zone").asText());
        JsonNode other = api.post("/api/v1/tasks", task("x", DAILY).replace("shop", "bank"))
                .body();
        assertEquals("PT10S", other.get("timeout").asText());
    }

    @Test
    void a_task_takes_expireAfter_from_its_app_and_says_so() {
        put("app:shop", "{\"expireAfter\":\"PT10M\"}");
        JsonNode made = create("t", DAILY);
        assertEquals("PT10M", made.get("expireAfter").asText());
        assertEquals("APP", made.at("/origins/expireAfter").asText());
        put("app:shop", "{\"expireAfter\":\"PT20M\"}");
        assertEquals("PT20M", task("t").get("expireAfter").asText());
        api.delete("/api/v1/defaults/app:shop");
        assertFalse(task("t").has("expireAfter"));
    }

    private static String sorted(JsonNode origins) {
        StringBuilder text = new StringBuilder("{");
        for (String name : new String[] {"timeout", "priority", "schedule.zone"}) {
            text.append(text.length() == 1 ? "" : ",")
                    .append('"')
                    .append(name)
                    .append("\":")
                    .append(origins.path(name));
        }
        return text.append('}').toString();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"every\":\"PT1H\"}",
                "{\"at\":\"2100-01-01T00:00:00Z\"}",
                "{\"in\":\"PT1H\"}",
                "{\"cron\":\"@every 1h\"}",
                "{\"cron\":\"CRON_TZ=Asia/Tokyo 0 12 * * *\"}"
            })
    void a_schedule_that_needs_no_zone_gets_none(String schedule) {
        put("cluster", "{\"schedule\":{\"zone\":\"Europe/Berlin\"}}");
        JsonNode made = create("t", "\"schedule\":" + schedule);
        assertFalse(made.get("schedule").has("zone"), made.toString());
        assertFalse(made.has("origins"), made.toString());
    }

    @Test
    void tasks_with_values_from_defaults_follow_a_change_and_others_stay() {
        create("before", DAILY);
        put("app:shop", "{\"timeout\":\"PT20S\",\"schedule\":{\"zone\":\"Europe/Berlin\"}}");
        create("follows", DAILY);
        create("own", DAILY + ",\"timeout\":\"PT20S\"");
        String berlin = task("follows").get("nextFireTime").asText();
        put("app:shop", "{\"timeout\":\"PT30S\",\"schedule\":{\"zone\":\"Asia/Tokyo\"}}");
        assertEquals("PT30S", task("follows").get("timeout").asText());
        assertEquals(
                "T03:00:00.000Z", task("follows").get("nextFireTime").asText().substring(10));
        assertFalse(berlin.endsWith("T03:00:00.000Z"));
        assertEquals("PT20S", task("own").get("timeout").asText());
        assertFalse(task("before").has("timeout"));
    }

    @Test
    void tasks_that_a_failed_node_left_behind_follow_later() {
        put("app:shop", "{\"timeout\":\"PT20S\"}");
        create("t", DAILY);
        api.execute("update twinbell.task_defaults set content = '{\"timeout\":\"PT40S\"}',"
                + " version = nextval('twinbell.task_defaults_version'),"
                + " updated_at = clock_timestamp() - interval '5 seconds'");
        assertEquals("PT20S", task("t").get("timeout").asText());
        api.defaults.step(api.loop);
        assertEquals("PT40S", task("t").get("timeout").asText());
        long version = task("t").get("version").longValue();
        api.defaults.step(api.loop);
        assertEquals(version, task("t").get("version").longValue());
    }

    @Test
    void without_the_apps_default_a_task_gets_that_of_the_cluster() {
        put("cluster", "{\"priority\":2}");
        put("app:shop", "{\"priority\":8,\"overlap\":\"ALLOW\"}");
        create("t", DAILY);
        assertStatus(204, api.delete("/api/v1/defaults/app:shop"));
        assertEquals(2, task("t").get("priority").intValue());
        assertEquals("CLUSTER", task("t").at("/origins/priority").asText());
        assertEquals("SKIP", task("t").get("overlap").asText());
        assertFalse(task("t").get("origins").has("overlap"));
    }

    @Test
    void a_patch_keeps_what_it_writes_and_returns_to_the_default_by_null() {
        put("app:shop", "{\"timeout\":\"PT20S\"}");
        create("t", DAILY);
        String path = "/api/v1/apps/shop/tasks/t";
        assertTrue(api.json("PATCH", path, "{\"priority\":1}").body().has("origins"));
        JsonNode written = api.json("PATCH", path, "{\"timeout\":\"PT20S\"}").body();
        assertFalse(written.has("origins"), written.toString());
        put("app:shop", "{\"timeout\":\"PT25S\"}");
        assertEquals("PT20S", task("t").get("timeout").asText());
        assertEquals("PT25S", api.json("PATCH", path, "{\"timeout\":null}").text("/timeout"));
        assertStatus(400, api.json("PATCH", path, "{\"origins\":{\"timeout\":\"APP\"}}"));
        assertStatus(400, api.post("/api/v1/tasks", task("u", DAILY + ",\"origins\":{}")));
    }

    @Test
    void a_preview_uses_the_default_zone() {
        put("cluster", "{\"schedule\":{\"zone\":\"Asia/Tokyo\"}}");
        Reply preview = api.post("/api/v1/schedules/preview", "{" + DAILY + ",\"count\":1}");
        assertTrue(preview.text("/fireTimes/0").endsWith("T03:00:00.000Z"));
    }

    @Test
    void an_export_restores_tasks_and_defaults_on_an_empty_pair() throws Exception {
        put("cluster", "{\"schedule\":{\"zone\":\"Asia/Tokyo\"},\"overlap\":\"ALLOW\",\"onDoubt\":\"ASK\"}");
        create("plain", DAILY);
        create("own", DAILY + ",\"overlap\":\"ALLOW\"");
        Path file = folder.resolve("pair.yaml");
        TypedLine export = TypedLine.at(api.url(), "export", "--to", file.toString());
        assertExit(0, export);
        String text = Files.readString(file);
        assertFalse(text.contains("origins"), text);
        TypedLine same = TypedLine.at(api.url(), "diff", file.toString());
        assertExit(0, same);
        api.clear();
        TypedLine applied = TypedLine.at(api.url(), "apply", file.toString());
        assertExit(0, applied);
        assertEquals(3, task("plain").get("origins").size());
        assertEquals(2, task("own").get("origins").size());
        Path again = folder.resolve("again.yaml");
        TypedLine.at(api.url(), "export", "--to", again.toString());
        assertEquals(text, Files.readString(again));
    }

    @Test
    void an_export_keeps_values_that_are_older_than_the_default() throws Exception {
        create("before", DAILY);
        put("cluster", "{\"schedule\":{\"zone\":\"Asia/Tokyo\"},\"overlap\":\"ALLOW\",\"onDoubt\":\"ASK\"}");
        Path file = folder.resolve("pair.yaml");
        assertExit(0, TypedLine.at(api.url(), "export", "--to", file.toString()));
        api.clear();
        TypedLine applied = TypedLine.at(api.url(), "apply", file.toString());
        assertExit(0, applied);
        assertEquals("UTC", task("before").at("/schedule/zone").asText());
        assertEquals("SKIP", task("before").get("overlap").asText());
        assertEquals("DROP", task("before").get("onDoubt").asText());
    }

    @Test
    void a_value_of_its_own_that_equals_the_default_is_a_difference() throws Exception {
        put("app:shop", "{\"priority\":7}");
        create("t", DAILY);
        Path file = Files.writeString(folder.resolve("t.json"), task("t", DAILY + ",\"priority\":7"));
        TypedLine diff = TypedLine.at(api.url(), "diff", file.toString());
        assertExit(1, diff);
        assertExit(0, TypedLine.at(api.url(), "apply", file.toString()));
        assertFalse(task("t").has("origins"));
    }

    @Test
    void the_command_line_shows_puts_and_removes_defaults() throws Exception {
        Path file = Files.writeString(folder.resolve("d.json"), "{\"timeout\":\"PT5S\"}");
        assertExit(0, TypedLine.at(api.url(), "defaults", "put", "--app", "shop", file.toString()));
        String listed = TypedLine.at(api.url(), "defaults", "list").out();
        assertTrue(listed.startsWith("app:shop version=") && listed.contains("{\"timeout\":\"PT5S\"}"), listed);
        TypedLine shown = TypedLine.at(api.url(), "defaults", "show", "--app", "shop");
        assertTrue(shown.out().contains("\"PT5S\""), shown.out() + shown.err());
        assertExit(0, TypedLine.at(api.url(), "defaults", "rm", "--app", "shop"));
        assertExit(1, TypedLine.at(api.url(), "defaults", "show", "--app", "shop"));
    }
}
