package io.twinbell.node.api;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
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
                assertEquals(201, put.status(), put.raw().body());
            }
            Path file = folder.resolve("pair.yaml");
            TypedLine export = TypedLine.at(api.url(), "export", "--to", file.toString());
            assertEquals(0, export.exitCode(), export.err());
            TypedLine same = TypedLine.at(api.url(), "diff", file.toString());
            assertEquals(0, same.exitCode(), () -> same.out() + same.err());
            TypedLine shown = TypedLine.at(api.url(), "task", "show", "shop/t24");
            assertEquals(0, shown.exitCode(), shown.err());

            api.clear();
            TypedLine applied = TypedLine.at(api.url(), "apply", file.toString());
            assertEquals(0, applied.exitCode(), () -> applied.out() + applied.err());
            Path again = folder.resolve("again.yaml");
            assertEquals(
                    0,
                    TypedLine.at(api.url(), "export", "--to", again.toString()).exitCode());
            assertEquals(Files.readString(file), Files.readString(again));
            assertTrue(new ObjectMapper()
                    .readTree(api.get("/api/v1/apps/shop/tasks/t0").raw().body())
                    .path("data")
                    .has("<<"));
        }
    }
}
