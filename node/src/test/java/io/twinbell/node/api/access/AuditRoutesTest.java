package io.twinbell.node.api.access;

import static io.twinbell.node.api.ApiFixture.assertStatus;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.javalin.http.HandlerType;
import io.twinbell.node.access.AccessPolicy;
import io.twinbell.node.access.AccessRole;
import io.twinbell.node.access.Principal;
import io.twinbell.node.api.ApiFixture;
import io.twinbell.node.api.ApiFixture.Reply;
import io.twinbell.node.audit.store.AuditReader.AuditAct;
import io.twinbell.node.audit.store.AuditReader.AuditKind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Each door of the API leaves an entry with its author. */
class AuditRoutesTest {
    private static final String TASK = """
            {"schedule":{"every":"PT1H"},"priority":%s,"handler":{"type":"http","url":"http://127.0.0.1:9/x"}}""";

    private static final String CLOSE = "/api/v1/apps/shop/tasks/close";
    private final Instant slot = Instant.now().truncatedTo(ChronoUnit.HOURS).minus(Duration.ofDays(1));

    @AutoClose
    private final ApiFixture api =
            new ApiFixture(new AccessPolicy(Optional.empty(), List.of(AuditRoutesTest::principal), ""));

    /** The credentials are a role, and the app that it is bound to. */
    private static Optional<Principal> principal(String credentials) {
        String[] parts = credentials.split("-", -1);
        return Optional.of(new Principal(
                credentials, AccessRole.valueOf(parts[0]), parts[1].isEmpty() ? Set.of() : Set.of(parts[1]), Set.of()));
    }

    private Reply send(String credentials, String method, String path, String body) {
        Reply reply = api.authorized("Bearer " + credentials, method, path, body);
        assertTrue(
                reply.status() < 300,
                () -> method + " " + path + ": " + reply.raw().body());
        return reply;
    }

    private List<String> entries(String credentials, String query) {
        List<String> lines = new ArrayList<>();
        for (JsonNode entry :
                send(credentials, "GET", "/api/v1/audit" + query, null).body().path("items")) {
            lines.add(
                    0,
                    entry.path("actor").asText() + " " + entry.path("act").asText() + " "
                            + entry.path("kind").asText() + " "
                            + entry.path("app").asText());
        }
        return lines;
    }

    /** Requests that change nothing, or what the ledger records. */
    private static final Set<String> WITHOUT_ENTRY = Set.of(
            "POST /api/v1/tasks/{id}/ping",
            "POST /api/v1/apps/{app}/tasks/{name}/ping",
            "POST /api/v1/executions/{id}/complete",
            "POST /api/v1/executions/{id}/heartbeat",
            "POST /api/v1/alerts/{name}/test",
            "POST /api/v1/schedules/preview",
            "POST /api/v1/session",
            "DELETE /api/v1/session");

    /** These need a whole pair: see {@link io.twinbell.node.pair.ByHandTest}. */
    private static final String OF_THE_PAIR = "POST /api/v1/cluster/.*";

    private static final String HOURLY =
            "\"schedule\":{\"every\":\"PT1H\"},\"handler\":{\"type\":\"http\",\"url\":\"http://127.0.0.1:9/x\"}";

    /** Each request that changes something: endpoint, query, body, and the kinds and acts of its entries. */
    private static final String DOORS = """
            PUT /api/v1/apps/{app}/tasks/{name} | | {TASK} | TASK CREATE
            PATCH /api/v1/apps/{app}/tasks/{name} | | {"priority":2} | TASK CHANGE
            POST /api/v1/apps/{app}/tasks/{name}/pause | | {} | TASK PAUSE
            POST /api/v1/apps/{app}/tasks/{name}/resume | | {} | TASK RESUME
            POST /api/v1/apps/{app}/tasks/{name}/trigger | | {} | EXECUTION TRIGGER
            POST /api/v1/apps/{app}/tasks/{name}/backfill | | BACKFILL | TASK BACKFILL
            DELETE /api/v1/apps/{app}/tasks/{name}/backfill | | | EXECUTION CANCEL
            PATCH /api/v1/tasks/{id} | | {"priority":3} | TASK CHANGE
            POST /api/v1/tasks/{id}/pause | | {} | TASK PAUSE
            POST /api/v1/tasks/{id}/resume | | {} | TASK RESUME
            POST /api/v1/tasks/{id}/trigger | | {} | EXECUTION TRIGGER
            POST /api/v1/tasks/{id}/backfill | | BACKFILL | TASK BACKFILL
            DELETE /api/v1/tasks/{id}/backfill | | | EXECUTION CANCEL
            POST /api/v1/tasks/pause | ?app=shop | {} | TASK PAUSE
            POST /api/v1/tasks/resume | ?app=shop | {} | TASK RESUME
            POST /api/v1/tasks/trigger | ?app=shop | {} | EXECUTION TRIGGER
            POST /api/v1/executions/{id}/cancel | | {} | EXECUTION CANCEL
            POST /api/v1/executions/{id}/release | | {} | EXECUTION RELEASE
            POST /api/v1/executions/{id}/rerun | | {} | EXECUTION RERUN
            POST /api/v1/executions/rerun | ?app=shop&state=FAILED | {} | EXECUTION RERUN
            DELETE /api/v1/tasks/{id} | | | TASK REMOVE
            POST /api/v1/tasks | | {"app":"shop","name":"n",TASK} | TASK CREATE
            DELETE /api/v1/apps/{app}/tasks/{name} | | | TASK REMOVE
            POST /api/v1/tasks/batch | | [{"app":"shop","name":"n",TASK}] | TASK CREATE
            DELETE /api/v1/tasks | ?app=shop | | TASK REMOVE
            PUT /api/v1/limits/{key} | | {"maxRunning":5} | LIMIT CREATE
            DELETE /api/v1/limits/{key} | | | LIMIT REMOVE
            PUT /api/v1/defaults/{key} | | {"priority":5} | DEFAULTS CREATE
            DELETE /api/v1/defaults/{key} | | | DEFAULTS REMOVE
            PUT /api/v1/pauses/{key} | | {} | STANDING_PAUSE PAUSE
            DELETE /api/v1/pauses/{key} | | | STANDING_PAUSE RESUME
            PUT /api/v1/alerts/{name} | | {"on":["FAILED"],"webhook":{"url":"http://127.0.0.1:9/x"}} | ALERT CREATE
            DELETE /api/v1/alerts/{name} | | | ALERT REMOVE
            PUT /api/v1/calendars/{name} | | {"zone":"UTC","dates":["2026-12-25"]} | CALENDAR CREATE
            DELETE /api/v1/calendars/{name} | | | CALENDAR REMOVE
            POST /api/v1/tokens | | {"name":"n","role":"VIEWER"} | TOKEN CREATE
            POST /api/v1/tokens/{name}/rotate | | {} | TOKEN ROTATE
            DELETE /api/v1/tokens/{name} | | | TOKEN REMOVE
            """;

    @Test
    void every_endpoint_that_changes_something_leaves_an_entry_with_its_author() {
        Set<String> unheard = new TreeSet<>();
        api.api.routes().stream()
                .filter(route -> route.method() != HandlerType.GET)
                .map(route -> route.method().name() + " " + route.path())
                .filter(endpoint -> !WITHOUT_ENTRY.contains(endpoint) && !endpoint.matches(OF_THE_PAIR))
                .forEach(unheard::add);
        List<String> expected = new ArrayList<>();
        List<String> found = new ArrayList<>();
        DOORS.lines().map(row -> row.split(" *\\| *", -1)).forEach(row -> {
            String method = row[0].substring(0, row[0].indexOf(' '));
            String path = row[0].substring(row[0].indexOf(' ') + 1);
            execute(row[0]);
            long last = api.number("select coalesce(max(id), 0) from twinbell.audit_entry");
            String sent = filled(path);
            send("ADMIN-", method, sent + row[1], row[2].isEmpty() ? null : body(row[2]));
            unheard.remove(row[0]);
            expected.add(row[0] + ": " + row[3] + " by ADMIN- (HTTP) " + method + " " + sent);
            found.add(row[0] + ": " + String.join(", ", after(last)));
        });
        assertEquals(String.join("\n", expected), String.join("\n", found));
        assertEquals(Set.of(), unheard);
    }

    /** Brings executions into a state that fits the request. */
    private void execute(String endpoint) {
        String state = endpoint.endsWith("rerun") ? "FAILED" : "RUNNING";
        if (endpoint.contains("/executions/") || endpoint.equals("POST /api/v1/tasks/{id}/backfill")) {
            api.execute("delete from twinbell.execution; delete from twinbell.cancel_request");
        }
        if (endpoint.contains("/executions/")) {
            api.execute("insert into twinbell.execution (task_id, fire_time, app, name, state) select id, '" + slot
                    + "', app, name, '" + state + "' from twinbell.task");
        }
    }

    private String filled(String path) {
        long id = api.number("select coalesce(min(id), 0) from twinbell.task");
        return path.replace("executions/{id}", "executions/" + id + "-" + slot.toEpochMilli())
                .replace("{id}", Long.toString(id))
                .replace("{app}", "shop")
                .replace("{key}", "app:shop")
                .replace("{name}", "n");
    }

    private String body(String text) {
        return text.replace("BACKFILL", "{\"from\":\"" + slot + "\",\"to\":\"" + slot.plus(Duration.ofHours(3)) + "\"}")
                .replace("{TASK}", "{" + HOURLY + "}")
                .replace("TASK", HOURLY);
    }

    private Set<String> after(long last) {
        Set<String> lines = new TreeSet<>();
        for (JsonNode entry :
                send("ADMIN-", "GET", "/api/v1/audit?limit=5", null).body().path("items")) {
            if (entry.path("id").asLong() > last) {
                lines.add(entry.path("kind").asText() + " " + entry.path("act").asText() + " by "
                        + entry.path("actor").asText() + " ("
                        + entry.path("channel").asText() + ") "
                        + entry.path("request").asText());
            }
        }
        return lines;
    }

    @Test
    void each_door_leaves_an_entry_with_its_author() {
        send("EDITOR-shop", "PUT", CLOSE, TASK.formatted(1));
        send("EDITOR-", "PATCH", CLOSE, "{\"priority\":2}");
        send("OPERATOR-", "POST", CLOSE + "/pause", "{\"reason\":\"deploy\"}");
        send("OPERATOR-", "POST", CLOSE + "/resume", "{}");
        send("OPERATOR-shop", "POST", CLOSE + "/trigger", "{}");
        send("EDITOR-", "PUT", "/api/v1/limits/app:shop", "{\"maxRunning\":5}");
        send("OPERATOR-", "PUT", "/api/v1/pauses/app:shop", "{\"reason\":\"deploy\"}");
        send("EDITOR-", "PUT", "/api/v1/alerts/failures", """
                {"on":["FAILED"],"tasks":{"app":"shop"},"webhook":{"url":"http://127.0.0.1:9/x"}}""");
        send("EDITOR-shop", "DELETE", CLOSE, null);
        assertEquals(
                List.of(
                        "EDITOR-shop CREATE TASK shop",
                        "EDITOR- CHANGE TASK shop",
                        "OPERATOR- PAUSE TASK shop",
                        "OPERATOR- RESUME TASK shop",
                        "OPERATOR-shop TRIGGER EXECUTION shop",
                        "EDITOR- CREATE LIMIT shop",
                        "OPERATOR- PAUSE STANDING_PAUSE shop",
                        "EDITOR- CREATE ALERT shop",
                        "EDITOR-shop REMOVE TASK shop"),
                entries("ADMIN-", ""));
        JsonNode changed = send("VIEWER-shop", "GET", "/api/v1/audit?act=CHANGE", null)
                .body()
                .at("/items/0");
        assertEquals(1, changed.at("/before/priority").asInt());
        assertEquals(2, changed.at("/after/priority").asInt());
        assertEquals("127.0.0.1", changed.path("address").asText());
        assertEquals("HTTP", changed.path("channel").asText());
        assertEquals("PATCH " + CLOSE, changed.path("request").asText());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "DELETE /api/v1/apps/{app}/tasks/{name}?reason=REASON",
                "DELETE /api/v1/tasks/{id}?reason=REASON",
                "DELETE /api/v1/tasks?app=shop&reason=REASON",
                "POST /api/v1/tasks/{id}/resume {\"reason\":\"no longer sold\"}",
                "POST /api/v1/tasks/resume?app=shop {\"reason\":\"no longer sold\"}",
                "DELETE /api/v1/limits/{key}?reason=REASON",
                "DELETE /api/v1/pauses/{key}?reason=REASON",
                "DELETE /api/v1/calendars/{name}?reason=REASON",
                "DELETE /api/v1/tokens/{name}?reason=REASON",
            })
    void a_removal_and_a_resume_leave_their_reason(String request) {
        send("ADMIN-", "PUT", "/api/v1/apps/shop/tasks/n", TASK.formatted(1));
        send("ADMIN-", "POST", "/api/v1/apps/shop/tasks/n/pause", "{}");
        send("ADMIN-", "PUT", "/api/v1/limits/app:shop", "{\"maxRunning\":5}");
        send("ADMIN-", "PUT", "/api/v1/pauses/app:shop", "{}");
        send("ADMIN-", "PUT", "/api/v1/calendars/n", "{\"zone\":\"UTC\",\"dates\":[\"2026-12-25\"]}");
        send("ADMIN-", "POST", "/api/v1/tokens", "{\"name\":\"n\",\"role\":\"VIEWER\"}");
        String[] parts = request.replace("REASON", "no%20longer%20sold").split(" ", 3);
        send("ADMIN-", parts[0], filled(parts[1]), parts.length == 3 ? parts[2] : null);
        send("ADMIN-", "PUT", "/api/v1/limits/tag:later", "{\"maxRunning\":5}");
        JsonNode entries =
                send("ADMIN-", "GET", "/api/v1/audit?limit=3", null).body().path("items");
        assertEquals("no longer sold", entries.at("/1/detail").asText(), entries.toString());
        assertTrue(entries.at("/0/detail").isNull(), entries.toString());
        assertTrue(entries.at("/2/detail").isNull(), entries.toString());
    }

    @Test
    void a_reason_in_the_query_is_one_line_of_500_characters_at_most() {
        send("ADMIN-", "PUT", "/api/v1/limits/app:shop", "{\"maxRunning\":5}");
        String limit = "/api/v1/limits/app:shop?reason=";
        for (String wrong : List.of("a%0Ab", "a%E2%80%AEb", "a%E3%85%A4b", "x".repeat(501))) {
            Reply reply = api.authorized("Bearer ADMIN-", "DELETE", limit + wrong, null);
            assertEquals(400, reply.status(), wrong);
            assertTrue(reply.raw().body().contains("reason"), reply.raw().body());
        }
        send("ADMIN-", "DELETE", limit + "x".repeat(500), null);
    }

    @Test
    void a_bound_principal_sees_its_apps_and_only_admins_see_tokens() {
        send("EDITOR-", "PUT", CLOSE, TASK.formatted(1));
        send("EDITOR-", "PUT", "/api/v1/apps/bank/tasks/close", TASK.formatted(1));
        send("ADMIN-", "POST", "/api/v1/tokens", "{\"name\":\"deploy\",\"role\":\"VIEWER\"}");
        assertEquals(List.of("EDITOR- CREATE TASK shop"), entries("VIEWER-shop", ""));
        assertEquals(List.of("EDITOR- CREATE TASK shop", "EDITOR- CREATE TASK bank"), entries("VIEWER-", ""));
        assertEquals(List.of("ADMIN- CREATE TOKEN null"), entries("ADMIN-", "?kind=TOKEN"));
    }

    @Test
    void pages_continue_where_the_last_one_ended() {
        for (int i = 0; i < 5; i++) {
            send("EDITOR-", "PUT", "/api/v1/limits/tag:" + i, "{\"maxRunning\":5}");
        }
        List<String> keys = new ArrayList<>();
        String next = "";
        while (next != null) {
            JsonNode page =
                    send("VIEWER-", "GET", "/api/v1/audit?limit=2" + next, null).body();
            page.path("items").forEach(entry -> keys.add(entry.path("object").asText()));
            next = page.path("next").isNull()
                    ? null
                    : "&after=" + page.path("next").asText();
        }
        assertEquals(List.of("tag:4", "tag:3", "tag:2", "tag:1", "tag:0"), keys);
        assertStatus(400, api.authorized("Bearer VIEWER-", "GET", "/api/v1/audit?after=x", null));
    }

    @ParameterizedTest
    @CsvSource({"kind, TASKS, STANDING_PAUSE", "kind, task, TASK", "act, CHANGED, CHANGE", "outcome, FAILED, REFUSED"})
    void an_unknown_word_in_a_filter_is_refused_with_the_known_words(String filter, String unknown, String known) {
        Reply reply = api.authorized("Bearer VIEWER-", "GET", "/api/v1/audit?" + filter + "=" + unknown, null);
        String problem = reply.raw().body();
        assertEquals(400, reply.status(), problem);
        assertTrue(problem.contains("\"" + filter + "\""), problem);
        assertTrue(problem.matches(".*must be one of \\[[A-Z_, ]*\\b" + known + "\\b.*"), problem);
    }

    @Test
    void the_filters_take_the_words_of_the_page_and_of_the_triggers() throws IOException {
        Set<String> kinds = names(AuditKind.values());
        Set<String> words = names(AuditAct.values());
        words.addAll(kinds);
        String page = Files.readString(Path.of("../ops/docs/SECURITY.md"));
        String table = page.substring(page.indexOf("| kind | acts |"), page.indexOf("- **Author.**"));
        Set<String> written = Pattern.compile("`([A-Z_]+)`")
                .matcher(table)
                .results()
                .map(word -> word.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
        written.remove("REFUSED");
        assertEquals(written, words);
        DOORS.lines()
                .forEach(row -> assertTrue(
                        words.containsAll(
                                List.of(row.substring(row.lastIndexOf('|') + 2).split(" "))),
                        row));
        String triggers = api.text("select string_agg(distinct split_part(encode(tgargs, 'escape'), '\\000', 1), ' ')"
                + " from pg_trigger where tgfoid = 'twinbell.audit_object'::regproc");
        assertTrue(kinds.containsAll(List.of(triggers.split(" "))), triggers);
    }

    private static Set<String> names(Enum<?>[] words) {
        return Arrays.stream(words).map(Enum::name).collect(Collectors.toCollection(TreeSet::new));
    }
}
