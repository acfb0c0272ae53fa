package io.twinbell.node.api;

import static io.twinbell.node.api.ApiFixture.assertStatus;
import static io.twinbell.node.api.TypedLine.assertExit;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Texts, keys and numbers that YAML readers take for something else survive the database, export and apply. */
class ExportRoundTripTest {
    private static final List<String> TEXTS = List.of(
            "<<",
            "=",
            "~",
            "null",
            "yes",
            "0o17",
            "1e3",
            "2026-03-29",
            "",
            " a ",
            "\t",
            "a\r\nb",
            "\n\n",
            "\u0085",
            "\u2028",
            "\ufeff",
            "\uffff",
            "\ud83d\ude00",
            ":",
            "a: b",
            "---",
            "...",
            "#",
            "%",
            "plain text ".repeat(200),
            "a\n".repeat(3_000),
            "k".repeat(2_000),
            "x".repeat(20_000));

    @TempDir
    private Path folder;

    @Test
    void the_export_of_any_data_is_applied_without_a_difference() throws Exception {
        try (ApiFixture api = new ApiFixture()) {
            for (int i = 0; i < TEXTS.size(); i++) {
                ObjectNode task = JsonNodeFactory.instance.objectNode();
                task.putObject("schedule").put("every", "PT1H");
                task.putObject("handler").put("type", "log");
                ObjectNode data =
                        task.putObject("data").put("value", TEXTS.get(i)).put(TEXTS.get(i), "key");
                data.putArray("numbers")
                        .add(new BigDecimal("1.0"))
                        .add(new BigDecimal("1E-7"))
                        .add(new BigDecimal("1E+400"))
                        .add(new BigDecimal("12345678901234567890.123"));
                ApiFixture.Reply put = api.json("PUT", "/api/v1/apps/shop/tasks/t" + i, task.toString());
                assertStatus(201, put);
            }
            Path file = folder.resolve("pair.yaml");
            TypedLine export = TypedLine.at(api.url(), "export", "--to", file.toString());
            assertExit(0, export);
            TypedLine same = TypedLine.at(api.url(), "diff", file.toString());
            assertEquals(0, same.exitCode(), () -> same.out() + same.err());
            TypedLine shown = TypedLine.at(api.url(), "task", "show", "shop/t24");
            assertExit(0, shown);

            api.clear();
            TypedLine applied = TypedLine.at(api.url(), "apply", file.toString());
            assertEquals(0, applied.exitCode(), () -> applied.out() + applied.err());
            Path again = folder.resolve("again.yaml");
            assertExit(0, TypedLine.at(api.url(), "export", "--to", again.toString()));
            assertEquals(Files.readString(file), Files.readString(again));
            assertTrue(new ObjectMapper()
                    .readTree(api.get("/api/v1/apps/shop/tasks/t0").raw().body())
                    .path("data")
                    .has("<<"));
        }
    }

    /** What SQL stores although no node reads it, and what an application may do to the tables themselves. */
    @Test
    void a_row_that_no_node_can_read_stands_with_its_error_and_ends_nothing() throws Exception {
        try (ApiFixture api = new ApiFixture()) {
            String add = "select twinbell.add_task('shop', '%s', '{\"every\":\"PT1H\"}', '{\"type\":\"log\"}', '%s')";
            api.execute(add.formatted("decimal", "{\"priority\":5.0}"));
            api.execute(add.formatted("tags", "{\"tags\":[\"" + "\ud83d\ude00".repeat(50) + "\"]}"));
            for (String member : List.of(
                    "start\":\"soon",
                    "retry\":{\"backoff\":\"soon\",\"maxAttempts\":\"x\"},\"x\":\"",
                    "schedule\":\"x",
                    "handler\":7,\"x\":\"",
                    "misfire\":[],\"overlap\":5,\"then\":{},\"calendars\":5,\"x\":\"")) {
                for (String state : List.of("ACTIVE", "PAUSED", "FINISHED", "ERROR")) {
                    String name = state + member.hashCode();
                    api.execute(add.formatted(name, "{}"));
                    api.execute("update twinbell.task set definition = definition || '{\"" + member
                            + "\"}' where name = '" + name + "'");
                    api.execute("update twinbell.task_state set state = '" + state + "', state_reason = 'for " + name
                            + "' where task_id = (select id from twinbell.task where name = '" + name + "')");
                }
            }
            api.execute("update twinbell.task set definition = '[1]' where name = 'tags'");
            api.task("sound");
            JsonNode items = api.get("/api/v1/tasks").body().get("items");
            assertEquals(23, items.size());
            List<String> refused = new ArrayList<>();
            for (String path : List.of("""
                /api/v1/schedules/upcoming /api/v1/forecast /api/v1/executions /api/v1/cluster \
                /api/v1/cluster/activity /api/v1/cluster/strays /metrics""".split(" "))) {
                refused(api, path, refused);
            }
            for (JsonNode item : items) {
                String path = "/api/v1/tasks/" + item.get("id");
                for (String of : List.of("", "/executions", "/statistics", "/slots", "/why?at=2030-01-01T00:00:00Z")) {
                    refused(api, path + of, refused);
                }
            }
            assertEquals(List.of(), refused);

            TypedLine listed = TypedLine.at(api.url(), "task", "list", "--all");
            assertExit(0, listed);
            Path file = folder.resolve("pair.yaml");
            TypedLine export = TypedLine.at(api.url(), "export", "--to", file.toString());
            assertExit(1, export);
            for (JsonNode item : items) {
                String name = item.get("name").textValue();
                if (name.startsWith("ERROR")) {
                    String error = "shop/" + name + " can't be read: for " + name;
                    assertTrue(listed.err().contains(error), listed.err());
                    assertTrue(export.err().contains(error), export.err());
                }
            }
            assertTrue(Files.readString(file).contains("name: sound"), export.err());
            for (String change : List.of("pause", "resume", "trigger")) {
                ApiFixture.Reply reply = api.post("/api/v1/tasks/" + change + "?app=shop", "");
                assertEquals(200, reply.status(), change + " " + reply.raw().body());
            }
            assertStatus(200, api.delete("/api/v1/tasks?app=shop"));
            assertEquals(1, api.tasks());
        }
    }

    private static void refused(ApiFixture api, String path, List<String> refused) {
        ApiFixture.Reply reply = api.get(path);
        if (reply.status() >= 500) {
            refused.add(path + " " + reply.raw().body());
        }
    }
}
