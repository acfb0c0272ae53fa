package io.twinbell.node.api;

import static io.twinbell.node.api.TypedLine.assertExit;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tasks with a recurrence rule through the command line, the API and manifests. */
class RecurrenceApiTest {
    @AutoClose
    private static final ApiFixture api = new ApiFixture();

    @TempDir
    private Path folder;

    private static TypedLine typed(String... words) {
        return TypedLine.at(api.url(), words);
    }

    @Test
    void a_rule_comes_back_as_it_was_written_and_an_export_of_it_is_applied_without_a_difference() throws Exception {
        TypedLine add = typed("task", "add", "shop/rule", "--schedule", """
                {"rrule":"FREQ=MONTHLY;INTERVAL=2;BYDAY=-1FR","dtstart":"2190-01-05T09:00",
                "rdate":["2190-02-01"],"exdate":["2190-03-26T09:00"],"dstGap":"SKIP"}""", "--zone", "Europe/Berlin", "--log");
        assertEquals(0, add.exitCode(), add.err());
        var task = api.get("/api/v1/apps/shop/tasks/rule").body();
        assertEquals(
                new ObjectMapper()
                        .readTree("{\"rrule\":\"FREQ=MONTHLY;INTERVAL=2;BYDAY=-1FR\",\"dtstart\":\"2190-01-05T09:00\","
                                + "\"rdate\":[\"2190-02-01\"],\"exdate\":[\"2190-03-26T09:00\"],"
                                + "\"zone\":\"Europe/Berlin\",\"dstGap\":\"SKIP\"}"),
                task.get("schedule"));
        assertEquals("2190-01-29T08:00:00.000Z", task.get("nextFireTime").textValue());
        assertTrue(typed("task", "list").out().contains("FREQ=MONTHLY;INTERVAL=2"), "the list shows the rule");

        Path file = folder.resolve("pair.yaml");
        assertExit(0, typed("export", "--to", file.toString()));
        TypedLine same = typed("diff", file.toString());
        assertEquals(0, same.exitCode(), () -> same.out() + same.err());
        api.clear();
        TypedLine applied = typed("apply", file.toString());
        assertEquals(0, applied.exitCode(), () -> applied.out() + applied.err());
        Path again = folder.resolve("again.yaml");
        assertExit(0, typed("export", "--to", again.toString()));
        assertEquals(Files.readString(file), Files.readString(again));
    }

    @Test
    void a_preview_shows_the_rule_in_words_and_names_the_member_that_is_wrong() {
        TypedLine preview = typed(
                "preview",
                "--schedule",
                "{\"rrule\":\"FREQ=WEEKLY;INTERVAL=2\",\"dtstart\":\"2026-03-16T02:30\"}",
                "--zone",
                "Europe/Berlin",
                "--from",
                "2026-03-01",
                "-n",
                "2");
        assertExit(0, preview);
        assertEquals(
                List.of("every 2 weeks on Monday at 02:30, from 2026-03-16, Europe/Berlin"),
                preview.out().lines().limit(1).toList());
        assertTrue(preview.out().contains("Mon 2026-03-30 02:30:00 +02:00"), preview.out());
        TypedLine wrong =
                typed("preview", "--schedule", "{\"rrule\":\"FREQ=WEEKLY\",\"dtstart\":\"2026-03-16T02:30Z\"}");
        assertEquals(1, wrong.exitCode());
        assertTrue(wrong.err().contains("schedule/dtstart"), wrong.err());
    }

    @Test
    void a_slot_on_a_holiday_moves_and_is_explained() {
        api.json("PUT", "/api/v1/calendars/holidays", "{\"zone\":\"Europe/Berlin\",\"dates\":[\"2190-01-29\"]}");
        TypedLine add = typed(
                "task",
                "add",
                "shop/moved",
                "--schedule",
                "{\"rrule\":\"FREQ=MONTHLY;BYDAY=-1FR\",\"dtstart\":\"2190-01-05T09:00\"}",
                "--zone",
                "Europe/Berlin",
                "--calendar",
                "holidays",
                "--on-excluded",
                "previous",
                "--log");
        assertExit(0, add);
        var task = api.get("/api/v1/apps/shop/tasks/moved").body();
        assertEquals("PREVIOUS", task.get("onExcluded").textValue());
        assertEquals("2190-01-28T08:00:00.000Z", task.get("nextFireTime").textValue());
        String why = "/api/v1/tasks/" + task.get("id") + "/why?at=";
        var excluded = api.get(why + "2190-01-29T08:00:00Z").body();
        assertEquals("EXCLUDED_BY_CALENDAR", excluded.get("cause").textValue());
        assertTrue(excluded.get("sentence").textValue().contains("the fire time moves to"), excluded::toString);
        var moved = api.get(why + "2190-01-28T08:00:00Z").body();
        assertEquals("WILL_FIRE", moved.get("cause").textValue(), moved::toString);

        api.json("PUT", "/api/v1/calendars/holidays", "{\"zone\":\"Europe/Berlin\",\"dates\":[\"2190-12-24\"]}");
        assertEquals(
                "2190-01-29T08:00:00.000Z",
                api.get("/api/v1/apps/shop/tasks/moved").text("/nextFireTime"),
                "a moved slot goes back when its day is allowed");
    }

    @Test
    void a_fire_time_that_cannot_move_is_refused_at_its_member() {
        for (String members : List.of(
                "\"schedule\":{\"every\":\"PT1H\"},\"calendars\":[]",
                "\"schedule\":{\"cron\":\"* * * * *\"}",
                "\"schedule\":{\"cron\":\"@daily\"},\"jitter\":\"PT1M\"")) {
            var reply = api.post(
                    "/api/v1/tasks",
                    "{\"app\":\"shop\",\"name\":\"still\",\"onExcluded\":\"NEXT\",\"handler\":{\"type\":\"log\"},"
                            + members + "}");
            assertEquals(400, reply.status(), members);
            assertEquals("/onExcluded", reply.firstError("pointer"), members);
        }
    }
}
