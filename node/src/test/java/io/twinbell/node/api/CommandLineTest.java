package io.twinbell.node.api;

import static io.twinbell.node.api.TypedLine.assertExit;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** The command line against the API itself, on a real database. */
class CommandLineTest {
    @RegisterExtension
    static final ApiFixture api = new ApiFixture();

    @TempDir
    private Path folder;

    private static TypedLine typed(String... words) {
        return TypedLine.at(api.url(), words);
    }

    private static JsonNode json(String... words) throws Exception {
        TypedLine typed = typed(words);
        assertExit(0, typed);
        return new ObjectMapper().readTree(typed.out());
    }

    @Test
    void flags_make_the_task_that_they_say() throws Exception {
        TypedLine add = typed(
                "task",
                "add",
                "shop/close/day",
                "--cron",
                "30 2 * * *",
                "--zone",
                "Europe/Berlin",
                "--http",
                "http://127.0.0.1:9/x",
                "--method",
                "PUT",
                "--header",
                "X-A: b",
                "--body",
                "{}",
                "--data",
                "{\"n\":1}",
                "--owner",
                "ops",
                "--tag",
                "nightly",
                "--tag",
                "x",
                "--timeout",
                "1h30m",
                "--attempts",
                "3",
                "--backoff",
                "2s",
                "--retry-only-on",
                "HTTP_5*",
                "--retry-not-on",
                "HTTP_501",
                "--retry-not-on",
                "HTTP_505",
                "--overlap",
                "queue",
                "--misfire",
                "skip",
                "--orphan",
                "rerun",
                "--priority",
                "7",
                "--paused",
                "--then",
                "other",
                "--max-runs",
                "9",
                "--jitter",
                "1s",
                "--end",
                "2100-01-01",
                "--expire-after",
                "10m",
                "--pause-on-failure",
                "5");
        assertExit(0, add);
        assertTrue(add.out().matches("created shop/close/day as \\d+\n"), add.out());
        JsonNode task = json("task", "show", "shop/close/day", "-o", "json");
        assertEquals(
                "{\"cron\":\"30 2 * * *\",\"zone\":\"Europe/Berlin\"}",
                task.path("schedule").toString());
        assertEquals("b", task.at("/handler/headers/X-A").asText());
        assertEquals("PT1H30M", task.path("timeout").asText());
        assertEquals("PT10M", task.path("expireAfter").asText());
        assertEquals("PT2S", task.at("/retry/backoff").asText());
        assertEquals("[\"HTTP_5*\"]", task.at("/retry/onlyOn").toString());
        assertEquals("[\"HTTP_501\",\"HTTP_505\"]", task.at("/retry/notOn").toString());
        assertEquals("SKIP", task.at("/misfire/policy").asText());
        assertEquals("PAUSED", task.path("state").asText());
        assertEquals("2099-12-31T23:00:00.000Z", task.path("end").asText());
        assertEquals("other", task.at("/then/0/name").asText());
        assertEquals(1, task.at("/data/n").asInt());
        assertEquals(
                task,
                new YAMLMapper()
                        .readTree(typed("task", "show", "shop/close/day", "-o", "yaml")
                                .out()));
    }

    @Test
    void an_error_names_its_place_and_nothing_is_stored() {
        TypedLine add = typed("task", "add", "shop/a", "--cron", "61 * * * *", "--log", "--priority", "77");
        assertExit(1, add);
        assertTrue(add.err().contains("  /schedule/cron: ") && add.err().contains("  /priority: must be"), add.err());
        assertExit(2, typed("task", "add", "shop/a", "--every", "1s"));
        assertExit(2, typed("task", "add", "shop/a", "--every", "1s", "--at", "2030-01-01", "--log"));
        assertExit(2, typed("task", "add", "a", "--every", "1s", "--log"));
        TypedLine data = typed("task", "add", "shop/a", "--every", "1s", "--log", "--data", "{no}");
        assertTrue(data.exitCode() == 2 && data.err().startsWith("--data is not JSON"), data.err());
        assertEquals("No tasks found\n", typed("task", "list").err());
    }

    @Test
    void an_empty_list_says_what_was_not_found() {
        assertEquals("No executions found\n", typed("executions").err());
        assertEquals(
                "No executions found\n", typed("execution", "--app", "none").err());
        assertEquals("No tasks found\n", typed("task", "list", "--app", "none").err());
        assertEquals("No stuck executions found\n", typed("executions", "stuck").err());
        assertEquals("No calendars found\n", typed("calendar", "list").err());
        assertEquals("No alerts found\n", typed("alert", "list").err());
        assertEquals(
                "[]\n",
                typed("executions", "-o", "json")
                        .out()
                        .replaceAll("\\s+\\]", "]")
                        .replace("[ ]", "[]"));
    }

    @Test
    void a_file_adds_what_is_right_in_it_and_tells_of_each_that_is_not() throws Exception {
        Path file = Files.writeString(folder.resolve("tasks.yaml"), """
                tasks:
                  - app: shop
                    name: one
                    schedule: {every: PT1H}
                    handler: {type: log}
                  - app: shop
                    name: two
                    schedule: {every: PT1H}
                    handler: {type: lug}
                ---
                app: shop
                name: three
                schedule: {cron: "@daily"}
                handler: {type: log}
                """);
        TypedLine dry = typed("task", "add", "-f", file.toString(), "--dry-run");
        assertExit(1, dry);
        assertTrue(dry.out().contains("would create shop/one, first fire time 20"), dry.out());
        assertEquals("0", json("task", "list", "-o", "json").size() + "");
        TypedLine add = typed("task", "add", "-f", file.toString());
        assertExit(1, add);
        assertTrue(add.err().startsWith("refused shop/two (" + file + ", tasks 2): /handler/type: "), add.err());
        assertEquals(2, json("task", "list", "-o", "json").size());
        assertTrue(typed("task", "add", "-f", file.toString()).err().contains("has a task named \"one\" already"));
        assertTrue(typed("task", "add", "-f", file.toString(), "--if-exists", "keep")
                .out()
                .contains("kept shop/one"));
        Path broken = Files.writeString(folder.resolve("broken.yaml"), "tasks:\n  - app: a\n    name: b\n    app: c\n");
        TypedLine refused = typed("task", "add", "-f", broken.toString());
        assertExit(2, refused);
        assertTrue(refused.err().contains("line 4"), refused.err());
    }

    @Test
    void tasks_are_paused_resumed_triggered_and_removed_by_name_or_in_bulk() throws Exception {
        for (String name : new String[] {"a", "b", "c"}) {
            typed("task", "add", "shop/" + name, "--every", "1h", "--log", "--tag", name.equals("c") ? "x" : "y");
        }
        assertTrue(typed("task", "pause", "shop/a", "--reason", "why", "--by", "bob")
                .out()
                .contains("PAUSED"));
        assertEquals(
                "1 task paused\n",
                typed("task", "pause", "--app", "shop", "--tag", "x").out());
        assertEquals(
                "why",
                json("task", "show", "shop/a", "-o", "json").path("stateReason").asText());
        String table = typed("task", "list", "--state", "paused").out();
        assertTrue(table.startsWith("ID ") && table.lines().count() == 3, table);
        assertExit(2, typed("task", "pause"));
        assertExit(2, typed("task", "pause", "shop/a", "--app", "shop"));
        TypedLine some = typed("task", "resume", "shop/nobody", "shop/a");
        assertExit(1, some);
        assertTrue(
                some.err().contains("has no task named \"nobody\"")
                        && some.out().contains("shop/a ACTIVE"),
                some.out());
        assertExit(2, typed("task", "resume", "--app", "shop", "--catch-up", "11"));
        assertExit(2, typed("task", "resume", "shop/a", "--catch-up", "some"));
        api.execute(
                "update twinbell.task_state s set state = 'PAUSED', next_fire_time = s.next_fire_time - interval '90"
                        + " minutes' from twinbell.task t where t.id = s.task_id and t.name = 'c'");
        assertExit(0, typed("task", "resume", "shop/c", "--catch-up", "last"));
        assertTrue(typed("executions", "--task", "shop/c").out().contains("PENDING"));
        assertTrue(typed("task", "trigger", "shop/b").out().contains("shop/b PENDING"));
        TypedLine rm = typed("task", "rm", "--app", "shop", "--tag", "y");
        assertExit(1, rm);
        assertEquals(
                "2 tasks removed\n",
                typed("task", "rm", "--app", "shop", "--tag", "y", "--yes").out());
        assertTrue(typed("task", "rm", "shop/c").out().endsWith("shop/c removed\n"));
        assertExit(1, typed("task", "rm", "shop/c"));
    }

    @Test
    void executions_are_listed_shown_and_asked_for_again() throws Exception {
        typed("task", "add", "shop/a", "--every", "1h", "--log");
        typed("task", "trigger", "shop/a", "--reason", "a test");
        JsonNode listed = json("executions", "--task", "shop/a", "--state", "pending", "-o", "json");
        String id = listed.path(0).path("id").asText();
        String table = typed("executions", "--app", "shop", "--since", "1h").out();
        assertTrue(table.contains(id) && table.contains("triggered: a test"), table);
        String shown = typed("executions", "show", id).out();
        assertTrue(shown.contains("state: PENDING\n") && shown.contains("origin: TRIGGERED\n"), shown);
        TypedLine rerun = typed("executions", "rerun", id);
        assertTrue(rerun.exitCode() == 1 && rerun.err().contains("409"), rerun.err());
        assertExit(0, typed("executions", "cancel", id, "--reason", "not now"));
        api.execute("update twinbell.execution set state = 'FAILED', ended_at = now(), error = 'no answer',"
                + " error_code = 'CONNECT_REFUSED'");
        String failed = typed("executions", "--error-code", "CONNECT_REFUSED").out();
        assertTrue(failed.contains("CONNECT_REFUSED: no answer"), failed);
        assertEquals(
                "No executions found\n",
                typed("executions", "--error-code", "HTTP_503").err());
        assertEquals(
                "1 run again\n",
                typed("executions", "rerun", "--app", "shop", "--state", "FAILED")
                        .out());
        assertExit(2, typed("executions", "rerun", "--app", "shop"));
        assertExit(0, typed("executions", "stuck"));
        TypedLine unknown = typed("executions", "--state", "PENDNG");
        assertTrue(unknown.exitCode() == 1 && unknown.err().contains("state"), unknown.err());
    }

    @Test
    void past_slots_are_shown_backfilled_and_cancelled() {
        typed("task", "add", "shop/hourly", "--cron", "0 * * * *", "--log", "x");
        String from = Instant.now()
                .truncatedTo(ChronoUnit.DAYS)
                .minus(2, ChronoUnit.DAYS)
                .toString();
        String to = Instant.now()
                .truncatedTo(ChronoUnit.DAYS)
                .minus(45, ChronoUnit.HOURS)
                .toString();
        String[] span = {"task", "backfill", "shop/hourly", "--from", from, "--to", to, "--dry-run"};
        TypedLine shown = typed(span);
        assertTrue(shown.out().endsWith("3 of 3 slots in the span would be entered\n"), shown.out() + shown.err());
        TypedLine done = typed(Arrays.copyOf(span, span.length - 1));
        assertTrue(done.out().endsWith("3 of 3 slots in the span are entered\n"), done.out() + done.err());
        assertEquals(
                "3 backfilled slots are cancelled\n",
                typed("task", "backfill", "shop/hourly", "--cancel").out());
        assertExit(2, typed("task", "backfill", "shop/hourly", "--from", from));
    }

    @Test
    void an_app_is_paused_and_listed_and_resumed() {
        TypedLine pause = typed("pause", "--app", "shop", "--reason", "stocktaking", "--by", "bob");
        assertTrue(pause.out().startsWith("firing of app:shop is paused since "), pause.out() + pause.err());
        assertEquals(pause.out(), typed("pauses").out());
        assertEquals(
                "firing of app:shop is resumed\n",
                typed("resume", "--app", "shop").out());
        assertExit(1, typed("resume", "--app", "shop"));
        assertExit(2, typed("pause", "--app", "shop", "--tag", "x"));
    }

    @Test
    void firing_is_paused_with_reason_and_end_and_resumed() {
        TypedLine pause = typed("pause", "--reason", "move", "--by", "bob", "--for", "2h");
        assertExit(0, pause);
        assertEquals("bob", api.cluster.pause.by());
        assertTrue(api.cluster.pause.untilMillis().isPresent());
        assertExit(0, typed("resume"));
        assertExit(2, typed("pause", "--for", "2h", "--until", "2100-01-01"));
    }

    @Test
    void a_trigger_is_requested_once() throws Exception {
        typed("task", "add", "shop/a", "--every", "1h", "--log");
        TypedLine trigger = TypedLine.at("http://127.0.0.1:1", "task", "trigger", "shop/a", "--url", api.url());
        assertExit(0, trigger);
        assertEquals(1, json("executions", "--app", "shop", "-o", "json").size());
        assertFalse(trigger.out().isEmpty());
    }
}
