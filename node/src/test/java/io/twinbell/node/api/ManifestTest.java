package io.twinbell.node.api;

import static io.twinbell.node.api.ApiFixture.assertStatus;
import static io.twinbell.node.api.TypedLine.assertExit;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** What a pair has as a file, and the way back, against the API itself. */
class ManifestTest {
    /** Every field, at its default and otherwise. */
    private static final List<String> TASKS = List.of(
            "'schedule':{'every':'PT1H'},'handler':{'type':'log'}",
            "'schedule':{'cron':'0 30 2 * * ?','dialect':'QUARTZ','zone':'Europe/Berlin','dstGap':'SKIP'},"
                    + "'handler':{'type':'http','method':'POST','url':'http://127.0.0.1:9/x','body':'{}','headers':{'X-A':'b'}},"
                    + "'owner':'ops','tags':['a','yes'],'priority':7,'enabled':false,'timeout':'PT90S','overlap':'ALLOW',"
                    + "'orphan':'RERUN','retry':{'maxAttempts':3,'backoff':'PT2M','multiplier':1.5,'onlyOn':['HTTP_5*'],'notOn':['HTTP_501']},"
                    + "'misfire':{'policy':'FIRE_ALL','max':5},'jitter':'PT5S','maxRuns':10,'end':'2100-01-01T00:00:00Z',"
                    + "'concurrencyKey':'db1','then':['t0',{'app':'other','name':'x'}],'thenOnFailure':['t2'],"
                    + "'calendars':['closed'],'data':{'b':1,'a':[1.50,'x: y\\n# z']},'pauseOnFailure':3,'expireAfter':'PT10M'",
            "'schedule':{'in':'PT48H'},'handler':{'type':'http','url':'http://127.0.0.1:9/x'},'timeout':'PT30S'",
            "'schedule':{'at':'2199-01-01T00:00:00Z'},'handler':{'type':'java','key':'k'},'retry':{'multiplier':3}",
            "'schedule':{'every':'PT5S','mode':'FIXED_DELAY'},'start':'2030-01-01T00:00:00Z',"
                    + "'handler':{'type':'sql','statement':['select 1','select :n'],'parameters':{'n':1}},"
                    + "'misfire':{'policy':'FIRE_ONCE','max':50},'overlap':{'policy':'QUEUE','max':7}",
            "'schedule':{'cron':'@daily'},'handler':{'type':'shell','command':['/bin/date'],'successCodes':[0,3],"
                    + "'environment':{'A':'b'}},'retry':{'maxAttempts':1,'backoff':'PT5S'},'data':'on'");

    @RegisterExtension
    static final ApiFixture api = new ApiFixture();

    @TempDir
    private Path folder;

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

    @BeforeEach
    void wipe() {
        api.clear();
        api.calendars.fresh();
    }

    private static void make() {
        put("/api/v1/calendars/closed", "'dates':['2026-12-25'],'weekly':[{'days':['SUN']}]");
        put(
                "/api/v1/calendars/fairs",
                "'mode':'ALLOW','zone':'Europe/Berlin','description':'x','spans':"
                        + "[{'from':'2026-12-25T10:00:00Z','to':'2026-12-26T10:00:00Z'}]");
        put("/api/v1/limits/db1", "'maxRunning':3");
        put("/api/v1/limits/app%3Ashop", "'rate':{'max':5,'per':'PT60S'}");
        put(
                "/api/v1/alerts/pager",
                "'on':['FAILED'],'errorCodes':['HTTP_5*'],'webhook':{'url':'http://127.0.0.1:9/a'}");
        put(
                "/api/v1/alerts/chat",
                "'on':['MISSED'],'webhook':{'url':'http://127.0.0.1:9/a','body':'x','timeout':'PT3S'},"
                        + "'retry':{'maxAttempts':2},'gather':'PT2S','enabled':false,'tasks':{'app':'shop'},"
                        + "'silence':{'calendars':['closed'],'weekly':[{'days':['SAT'],'from':'08:00'}]}");
        for (int i = 0; i < TASKS.size(); i++) {
            put("/api/v1/apps/shop/tasks/t" + i, TASKS.get(i));
        }
    }

    private static void put(String path, String members) {
        ApiFixture.Reply reply = api.json("PUT", path, "{" + members.replace('\'', '"') + "}");
        assertStatus(201, reply);
    }

    private static TypedLine typed(String... words) {
        return TypedLine.at(api.url(), words);
    }

    private String export(String... more) throws IOException {
        Path file = folder.resolve("exported.yaml");
        String[] words = new String[more.length + 3];
        words[0] = "export";
        words[1] = "--to";
        words[2] = file.toString();
        System.arraycopy(more, 0, words, 3, more.length);
        TypedLine export = typed(words);
        assertExit(0, export);
        return Files.readString(file);
    }

    private Path file(String text) throws IOException {
        return Files.writeString(folder.resolve("file.yaml"), text);
    }

    /** All that matters of the tasks: everything but ids, versions and moments. */
    private static ArrayNode definitions() throws IOException {
        ArrayNode all = JsonNodeFactory.instance.arrayNode();
        JsonNode tasks =
                new ObjectMapper().readTree(typed("task", "list", "-o", "json").out());
        tasks.forEach(task -> all.add(((ObjectNode) task.deepCopy())
                .without(List.of("id", "version", "createdAt", "updatedAt", "nextFireTime", "stateReason", "start"))));
        return all;
    }

    @Test
    void export_wipe_apply_and_export_give_the_same_bytes_and_the_same_definitions() throws Exception {
        make();
        String first = export();
        ArrayNode before = definitions();
        assertTrue(first.startsWith("calendars:\n  - name: closed\n"), first);
        assertTrue(
                first.contains("  - app: shop\n    name: t0\n    schedule:\n      every: PT1H\n    handler:\n"
                        + "      type: log\n  - app: shop\n"),
                first);
        Path file = file(first);
        assertExit(0, typed("diff", file.toString()));
        wipe();
        TypedLine apply = typed("apply", file.toString());
        assertExit(0, apply);
        assertTrue(apply.out().endsWith("12 created\n"), apply.out());
        assertEquals(first, export());
        assertEquals(before, definitions());
        assertTrue(typed("apply", file.toString()).out().endsWith("12 unchanged\n"));
        assertEquals(first.lines().filter("    start: "::startsWith).count(), 0);
        assertTrue(export("--starts", "--versions", "--app", "shop").contains("    version: 1\n"));
    }

    @Test
    void diff_shows_each_member_that_is_otherwise_and_apply_changes_it() throws Exception {
        make();
        String wanted = export().replace("every: PT1H", "every: PT2H")
                .replace("priority: 7", "priority: 8")
                .replace("maxRunning: 3", "maxRunning: 4")
                .replace("- \"2026-12-25\"", "- \"2026-12-24\"")
                .replace("http://127.0.0.1:9/a", "http://127.0.0.1:9/b");
        Path file = file(wanted + "---\napp: shop\nname: new\nschedule: {every: PT1H}\nhandler: {type: log}\n");
        TypedLine diff = typed("diff", file.toString());
        assertExit(1, diff);
        assertTrue(diff.out().contains("~ task shop/t0\n    /schedule/every: \"PT1H\" -> \"PT2H\"\n"), diff.out());
        assertTrue(diff.out().contains("~ limit db1\n    /maxRunning: 3 -> 4\n"), diff.out());
        assertTrue(diff.out().contains("+ task shop/new\n"), diff.out());
        assertTrue(diff.out().endsWith("1 to create, 6 to change, 6 unchanged\n"), diff.out());
        JsonNode json = new ObjectMapper()
                .readTree(typed("diff", file.toString(), "-o", "json").out());
        assertEquals(7, json.size());
        assertTrue(typed("apply", file.toString(), "--dry-run").out().endsWith("(nothing was done)\n"));
        assertExit(0, typed("apply", file.toString()));
        assertExit(0, typed("diff", file.toString()));
    }

    @Test
    void only_tasks_of_a_named_app_are_pruned_and_only_if_somebody_says_so() throws Exception {
        make();
        put("/api/v1/apps/other/tasks/o", TASKS.get(0));
        Path file = file("app: shop\nname: t0\nschedule: {every: PT1H}\nhandler: {type: log}\n");
        assertExit(0, typed("diff", file.toString()));
        assertTrue(typed("diff", file.toString(), "--prune", "shop").out().contains("- task shop/t5\n"));
        TypedLine asked = typed("apply", file.toString(), "--prune", "shop");
        assertExit(1, asked);
        assertTrue(asked.out().endsWith("1 unchanged, 5 not done\n"), asked.out());
        TypedLine pruned = typed("apply", file.toString(), "--prune", "shop", "--yes");
        assertTrue(pruned.out().endsWith("5 removed, 1 unchanged\n"), pruned.out());
        assertEquals(2, definitions().size());
    }

    @Test
    void a_removal_of_a_version_removes_no_other_version_and_no_successor_of_the_same_name() throws Exception {
        make();
        long id = id("t0");
        assertStatus(409, api.delete("/api/v1/tasks/" + id + "?version=2"));
        assertStatus(409, api.delete("/api/v1/apps/shop/tasks/t0?version=2"));
        assertStatus(400, api.delete("/api/v1/tasks/" + id + "?version=x"));
        assertEquals(id, id("t0"));
        assertStatus(204, api.delete("/api/v1/tasks/" + id + "?version=1"));
        put("/api/v1/apps/shop/tasks/t0", TASKS.get(0));
        assertStatus(404, api.delete("/api/v1/tasks/" + id + "?version=1"));
        assertStatus(204, api.delete("/api/v1/apps/shop/tasks/t0?version=1"));
    }

    @Test
    void a_concurrent_change_is_not_overwritten() throws Exception {
        make();
        Path file = file(export("--versions").replace("every: PT1H", "every: PT3H"));
        api.json("PATCH", "/api/v1/tasks/" + id("t0"), "{\"priority\":1}");
        TypedLine apply = typed("apply", file.toString());
        assertExit(1, apply);
        assertTrue(
                apply.out().contains("! task shop/t0 refused: the file expects version 1, but the pair has 2"),
                apply.out());
        assertTrue(typed("task", "show", "shop/t0").out().contains("every: PT1H"));
    }

    private static long id(String name) {
        return api.get("/api/v1/apps/shop/tasks/" + name).body().path("id").asLong();
    }

    @Test
    void apply_reports_each_error_and_does_the_rest() throws Exception {
        Path file = file("""
                calendars:
                  - {name: new, dates: ["2026-12-25"]}
                  - {name: bad, zone: Nowhere}
                tasks:
                  - {app: a, name: ok, schedule: {every: PT1H}, handler: {type: log}, calendars: [new]}
                  - {app: a, name: bad, schedule: {every: PT1H}, handler: {type: lug}, ovrlap: SKIP}
                  - {app: a, name: over, schedule: {at: "2020-01-01T00:00:00Z"}, handler: {type: log}}
                """);
        assertExit(2, typed("diff", file.toString()));
        TypedLine apply = typed("apply", file.toString());
        assertExit(1, apply);
        assertTrue(apply.out().contains("+ task a/ok created\n"), apply.out());
        assertTrue(apply.out().contains("! calendar bad refused: /zone: "), apply.out());
        assertTrue(apply.out().contains("/handler/type: ") && apply.out().contains("/ovrlap: "), apply.out());
        assertTrue(
                apply.out().contains("! task a/over left out: its fire time 2020-01-01T00:00:00.000Z has passed"),
                apply.out());
        assertExit(
                0,
                typed(
                        "apply",
                        file("app: a\nname: over\nschedule: {at: \"2020-01-01T00:00:00Z\"}\n"
                                        + "handler: {type: log}\n")
                                .toString(),
                        "--past"));
        for (String wrong :
                new String[] {"taks: []", "a: &x 1\ntasks: *x", "tasks: {}", "- 7", "tasks:\n  - {app: a}"}) {
            TypedLine refused = typed("apply", file(wrong).toString());
            assertEquals(2, refused.exitCode(), wrong);
            assertFalse(refused.err().isEmpty());
        }
        assertExit(
                3,
                TypedLine.at(
                        "http://127.0.0.1:1",
                        "diff",
                        file("app: a\nname: b\nschedule: {}").toString()));
    }

    /** The clocks of Berlin jump over each time of line 3, which only the pair knows. */
    @Test
    void a_crontab_is_shown_checked_and_taken_over() throws Exception {
        Path crontab = Files.writeString(folder.resolve("crontab"), """
                # Nightly backup
                30 2 * * * /bin/backup %a
                */20 2 25-31 3 */7 /bin/never
                @reboot /bin/start
                """);
        String[] words = {"import", "crontab", crontab.toString(), "--app", "h", "--zone", "Europe/Berlin"};
        TypedLine shown = typed(words);
        assertExit(1, shown);
        assertTrue(
                shown.out().contains("+ line 2: h/nightly-backup, 30 2 * * * Europe/Berlin, shell /bin/sh -c"),
                shown.out());
        assertTrue(
                shown.out()
                        .contains(
                                "! line 3: not imported: */20 2 25-31 3 */7 /bin/never\n    the pair refuses it: /schedule/cron: "),
                shown.out());
        String document = typed(with(words, "--dry-run", "-o", "json")).out();
        assertFalse(document.substring(0, document.indexOf("notTakenOver")).contains("/bin/never"), document);
        assertTrue(
                shown.out().contains("! line 4: not imported: @reboot /bin/start\n    a pair has no reboot"),
                shown.out());
        assertTrue(
                shown.out().endsWith("1 to create, 1 refused; nothing was stored: --apply stores it\n"), shown.out());
        assertEquals(0, definitions().size());
        assertExit(1, typed(with(words, "--apply")));
        assertEquals(1, definitions().size());
        assertTrue(typed(with(words, "--apply")).out().endsWith("1 unchanged, 1 refused\n"));
        TypedLine unreachable = TypedLine.at("http://127.0.0.1:1", with(words, "--dry-run"));
        assertExit(3, unreachable);
        assertTrue(unreachable.out().contains("+ line 2: h/nightly-backup"), unreachable.out());
        Path manifest = folder.resolve("host.yaml");
        assertExit(1, TypedLine.at("http://127.0.0.1:1", with(words, "--to", manifest.toString())));
        assertExit(2, typed("diff", manifest.toString()));
    }

    private static String[] with(String[] words, String... more) {
        return Stream.concat(Arrays.stream(words), Arrays.stream(more)).toArray(String[]::new);
    }

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
                    api.execute("update twinbell.full_task set definition = definition || '{\"" + member
                            + "\"}' where name = '" + name + "'");
                    api.execute("update twinbell.task_state set state = '" + state + "', state_reason = 'for " + name
                            + "' where task_id = (select id from twinbell.task where name = '" + name + "')");
                }
            }
            api.execute("update twinbell.full_task set definition = '[1]' where name = 'tags'");
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
