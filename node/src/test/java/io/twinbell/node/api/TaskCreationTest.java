package io.twinbell.node.api;

import static io.twinbell.node.api.ApiFixture.HTTP_TASK;
import static io.twinbell.node.api.ApiFixture.assertStatus;
import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.twinbell.node.api.ApiFixture.Reply;
import io.twinbell.node.json.Instants;
import java.net.URLEncoder;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TaskCreationTest {
    @RegisterExtension
    static final ApiFixture api = new ApiFixture();

    @Test
    void a_created_task_is_answered_whole_with_its_location_and_its_defaults_spelled_out() {
        Reply reply = api.post("/api/v1/tasks", HTTP_TASK.formatted("close-day"));
        JsonNode task = reply.body();
        long created = Instants.millis(task.get("start").textValue());
        assertAll(
                () -> assertEquals(201, reply.status()),
                () -> assertEquals(
                        "/api/v1/tasks/" + task.get("id"),
                        reply.raw().headers().firstValue("Location").orElseThrow()),
                () -> assertEquals("ACTIVE", task.get("state").textValue()),
                () -> assertEquals(1, task.get("version").intValue()),
                () -> assertTrue(task.get("enabled").booleanValue()),
                () -> assertEquals("PT30S", task.get("timeout").textValue()),
                () -> assertEquals("GET", task.at("/handler/method").textValue()),
                () -> assertEquals("FIRE_ONCE", task.at("/misfire/policy").textValue()),
                () -> assertEquals("PT30S", task.at("/misfire/threshold").textValue()),
                () -> assertEquals("SKIP", task.get("overlap").textValue()),
                () -> assertEquals("DROP", task.get("orphan").textValue()),
                () -> assertEquals(5, task.get("priority").intValue()),
                () -> assertEquals(
                        Instants.text(created + 3_600_000),
                        task.get("nextFireTime").textValue()),
                () -> assertEquals(
                        task, api.get("/api/v1/tasks/" + task.get("id")).body()));
    }

    @Test
    void everything_that_was_written_comes_back_and_data_keeps_its_last_digit() {
        String task = """
                {"app":"billing","name":"all","owner":"ops","tags":["nightly","eu"],"enabled":true,"priority":5,
                 "data":{"amount":123456789012345678901234567890.10,"deep":[1,null,{"é":"\\u00e9"}]},
                 "schedule":{"cron":"0 30 2 * * ?","dialect":"QUARTZ","zone":"Europe/Berlin","dstGap":"SHIFT","dstOverlap":"ONCE"},
                 "start":"2026-01-01T00:00:00Z","end":"2199-01-01T00:00:00.000Z",
                 "handler":{"type":"http","method":"PUT","url":"https://example.org:8443/x?y=1","headers":{"X-A":"b c"},"body":"hello"},
                 "timeout":"PT2M","retry":{"maxAttempts":1},"misfire":{"policy":"FIRE_ONCE","threshold":"PT1S"},
                 "overlap":"ALLOW","orphan":"RERUN"}""";
        JsonNode stored = api.post("/api/v1/tasks", task).body();
        assertAll(
                () -> assertEquals(
                        "123456789012345678901234567890.10",
                        stored.at("/data/amount").decimalValue().toPlainString()),
                () -> assertEquals("é", stored.at("/data/deep/2/é").textValue()),
                () -> assertEquals("[\"nightly\",\"eu\"]", stored.get("tags").toString()),
                () -> assertEquals(
                        "2026-01-01T00:00:00.000Z", stored.get("start").textValue()),
                () -> assertEquals("b c", stored.at("/handler/headers/X-A").textValue()),
                () -> assertEquals("PUT", stored.at("/handler/method").textValue()),
                () -> assertEquals("PT2M", stored.get("timeout").textValue()),
                () -> assertEquals("PT1S", stored.at("/misfire/threshold").textValue()),
                () -> assertEquals("ALLOW", stored.get("overlap").textValue()),
                () -> assertEquals("RERUN", stored.get("orphan").textValue()));
    }

    @ParameterizedTest
    @CsvSource({
        "2031-06-30T12:00:00.000Z, true", "2031-06-30T12:00:00Z, true", "2031-06-30T12:00Z, true",
        "2031-06-30t12:00z, true", "2031-06-30T12:00:00.5Z, true", "2031-06-30T12:00:00.500000000Z, true",
        "2031-06-30T12:00:00+05, true", "2031-06-30T12:00+05:30, true", "2031-06-30T12:00:00-03:30:15, true",
        "2031-06-30T24:00:00Z, false", "2031-06-30T23:59:60Z, false", "2031-06-30T12:60Z, false",
        "2031-06-30T12Z, false", "2031-06-30T12:00:00, false", "2031-06-30T12:00:00+0530, false",
        "2031-06-31T12:00:00Z, false", "2031-06-30T12:00:00.0005Z, false", "2031-06-30 12:00:00Z, false",
        "2031-06-30, false", "1969-12-31T23:59:59Z, false", "2200-01-01T00:00:00Z, false"
    })
    void an_instant_is_read_by_one_rule_everywhere(String instant, boolean isOne) {
        Map<String, Boolean> accepted = new LinkedHashMap<>();
        String task = HTTP_TASK.formatted("dated");
        String every = "\"schedule\":{\"every\":\"PT1H\"}";
        String once = "\"schedule\":{\"at\":\"" + instant + "\"}";
        assertTrue(task.contains(every), task);
        for (String members :
                List.of(once, every + ",\"start\":\"" + instant + "\"", every + ",\"end\":\"" + instant + "\"")) {
            Reply reply = api.post("/api/v1/tasks", task.replace(every, members));
            accepted.put(members, reply.status() == 201);
            api.execute("delete from twinbell.task");
        }
        String encoded = URLEncoder.encode(instant, StandardCharsets.UTF_8);
        accepted.put("from", api.get("/api/v1/executions?from=" + encoded).status() == 200);
        api.execute("do $$ begin perform twinbell.add_task('shop', 'dated', '{\"at\":\"" + instant
                + "\"}', '{\"type\":\"log\"}'); exception when others then null; end $$");
        accepted.put("sql", api.number("select count(*) from twinbell.task") == 1);
        assertEquals(Set.of(isOne), Set.copyOf(accepted.values()), accepted::toString);
    }

    @ParameterizedTest(name = "{0} -> {1}")
    @CsvSource(delimiter = '|', quoteCharacter = '\'', textBlock = """
            "retry":{"maxAttempts":1}                 | {"maxAttempts":1}
            "retry":{"maxAttempts":3}                 | {"maxAttempts":3,"backoff":"PT1S","multiplier":2.0,"maxBackoff":"PT1M","jitter":0.1}
            "retry":{"maxAttempts":3,"backoff":"PT5M"} | {"maxAttempts":3,"backoff":"PT5M","multiplier":2.0,"maxBackoff":"PT5M","jitter":0.1}
            "retry":{"onlyOn":["HTTP_5*","TIMEOUT"]}  | {"maxAttempts":1,"onlyOn":["HTTP_5*","TIMEOUT"]}
            "retry":{"maxAttempts":3,"notOn":["HTTP_4*"]} | {"maxAttempts":3,"backoff":"PT1S","multiplier":2.0,"maxBackoff":"PT1M","jitter":0.1,"notOn":["HTTP_4*"]}
            "overlap":{"policy":"QUEUE","max":3}      | {"policy":"QUEUE","max":3}
            "overlap":{"policy":"QUEUE","max":1}      | "QUEUE"
            "overlap":"CANCEL_RUNNING"                | "CANCEL_RUNNING"
            "pauseOnFailure":5                        | 5
            "expireAfter":"P1DT12H"                   | "PT36H"
            "misfire":{"policy":"SKIP"}               | {"policy":"SKIP","threshold":"PT30S"}
            "misfire":{"policy":"FIRE_ALL"}           | {"policy":"FIRE_ALL","threshold":"PT30S","max":100,"order":"NEWEST"}
            "misfire":{"policy":"FIRE_ALL","max":5,"order":"OLDEST"} | {"policy":"FIRE_ALL","threshold":"PT30S","max":5,"order":"OLDEST"}
            "misfire":{"policy":"FIRE_ONCE","threshold":"PT30S","max":100} | {"policy":"FIRE_ONCE","threshold":"PT30S","max":100,"order":"NEWEST"}
            """)
    void a_policy_comes_back_with_its_defaults_spelled_out(String member, String stored) throws Exception {
        String field = member.substring(1, member.indexOf('"', 1));
        String task = HTTP_TASK.formatted("p").replaceFirst("\\{", "{" + member + ",");
        JsonNode answer = api.post("/api/v1/tasks", task).body();
        JsonNode expected = new ObjectMapper().readTree(stored);
        assertEquals(expected.size(), answer.get(field).size());
        assertEquals(expected.asText(), answer.get(field).asText());
        expected.properties()
                .forEach(policy -> assertEquals(
                        policy.getValue().asText(),
                        answer.get(field).get(policy.getKey()).asText(),
                        policy.getKey()));
        assertEquals(answer, api.get("/api/v1/tasks/" + answer.get("id")).body());
    }

    @Test
    void an_aligned_interval_begins_at_a_multiple_and_keeps_it_through_later_edits() {
        String task = HTTP_TASK
                .formatted("hourly")
                .replace("{\"every\":\"PT1H\"}", "{\"every\":\"PT15M\",\"align\":\"P1D\"}");
        JsonNode stored = api.post("/api/v1/tasks", task).body();
        long day = 86_400_000;
        long midnight = (Instants.millis(stored.get("start").textValue()) + day - 1) / day * day;
        assertEquals("P1D", stored.at("/schedule/align").textValue());
        assertEquals(Instants.text(midnight), stored.get("nextFireTime").textValue());
        api.post("/api/v1/tasks/" + stored.get("id") + "/pause", "{}");
        JsonNode resumed =
                api.post("/api/v1/tasks/" + stored.get("id") + "/resume", "{}").body();
        assertEquals(Instants.text(midnight), resumed.get("nextFireTime").textValue());
    }

    @Test
    void an_instant_that_has_passed_is_refused_if_the_task_says_so() {
        String task = HTTP_TASK
                .formatted("once")
                .replace("{\"every\":\"PT1H\"}", "{\"at\":\"2026-01-01T00:00:00Z\",\"past\":\"REFUSE\"}");
        Reply refused = api.post("/api/v1/tasks", task);
        assertStatus(400, refused);
        assertEquals("/schedule/at", refused.text("/errors/0/pointer"));
        assertStatus(400, api.json("PUT", "/api/v1/apps/billing/tasks/once", task));
        assertEquals(0, api.number("select count(*) from twinbell.task where name = 'once'"));
        assertStatus(201, api.post("/api/v1/tasks", task.replace("REFUSE", "FIRE")));
        String future = task.replace("once", "later").replace("2026-", "2126-");
        assertEquals("REFUSE", api.post("/api/v1/tasks", future).text("/schedule/past"));
        String misplaced = task.replace("\"at\":\"2026-01-01T00:00:00Z\"", "\"in\":\"PT1H\"");
        assertStatus(400, api.post("/api/v1/tasks", misplaced));
    }

    @Test
    void a_task_that_is_created_disabled_waits_for_being_resumed() {
        String task = HTTP_TASK.formatted("off").replaceFirst("\\{", "{\"enabled\":false,");
        JsonNode stored = api.post("/api/v1/tasks", task).body();
        assertEquals("PAUSED", stored.get("state").textValue());
        assertFalse(stored.get("enabled").booleanValue());
        assertTrue(stored.hasNonNull("nextFireTime"));
    }

    @Test
    void an_instant_that_has_passed_is_taken_and_left_to_the_misfire_policy() {
        for (String at : List.of("2001-01-01T00:00:00.000Z", "2026-01-01T00:00:00.000Z")) {
            JsonNode stored = api.post(
                            "/api/v1/tasks",
                            HTTP_TASK.formatted(at).replace("{\"every\":\"PT1H\"}", "{\"at\":\"" + at + "\"}"))
                    .body();
            assertEquals("ACTIVE", stored.path("state").textValue(), stored.toString());
            assertEquals(at, stored.get("nextFireTime").textValue());
        }
    }

    @Test
    void in_no_time_is_now() {
        JsonNode stored = api.post(
                        "/api/v1/tasks",
                        HTTP_TASK.formatted("now").replace("{\"every\":\"PT1H\"}", "{\"in\":\"PT0S\"}"))
                .body();
        assertEquals(stored.get("start"), stored.get("nextFireTime"), stored.toString());
    }

    @Test
    void the_first_slot_of_a_jittered_task_is_put_off_from_where_it_would_have_been() {
        String more = "{\"maxRuns\":3,\"jitter\":\"PT60S\",";
        JsonNode stored = api.post(
                        "/api/v1/tasks", HTTP_TASK.formatted("jittered").replaceFirst("\\{", more))
                .body();
        long first = Instants.millis(stored.get("start").textValue()) + 3_600_000;
        long fire = Instants.millis(stored.get("nextFireTime").textValue());
        assertTrue(first <= fire && fire <= first + 60_000, stored.toString());
        assertEquals("PT1M", stored.get("jitter").textValue());
        assertEquals(3, stored.get("maxRuns").intValue());
        assertEquals(0, stored.get("runs").intValue());
        JsonNode plain = api.post(
                        "/api/v1/tasks", HTTP_TASK.formatted("plain").replaceFirst("\\{", "{\"jitter\":\"PT0S\","))
                .body();
        assertFalse(plain.has("jitter"), "none is none");
        assertFalse(plain.has("maxRuns"));
    }

    /** What is wrong, where, and what the answer says about it. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '\'', textBlock = """
            /nmae      | "nmae":"x"                                              | did you mean "name"
            /name      | "name":""                                               | 1 to 200
            /name      | "name":"a\\nb"                                           | control characters
            /app       | "app":7                                                 | must be a string
            /tags/1    | "tags":["a",""]                                         | 1 to 100
            /enabled   | "enabled":"yes"                                         | true or false
            /schedule/cron | "schedule":{"cron":"0 0 25 * * ?"}                  | 25
            /schedule  | "schedule":{}                                           | cron, rrule, every, at
            /schedule/at | "schedule":{"at":"1901-01-01T00:00:00Z"}              | must lie between 1970 and 2199
            /schedule/in | "schedule":{"in":"-PT1S"}                             | allowed are PT0S to
            /schedule  | "schedule":{"cron":"0 0 0 1 1 ? 2020"},"start":"2019-01-01T00:00:00Z" | never fires
            /schedule/evry | "schedule":{"every":"PT1S","evry":1}                | evry
            /end       | "end":"2001-01-01T00:00:00Z"                            | before the start
            /start     | "start":"tomorrow"                                      | must be an instant
            /start     | "start":"2026-01-01T00:00:00.0001Z"                     | three decimals
            /schedule/dialect | "schedule":{"cron":"0 0 1 * * ?","dialect":"quartz"} | allowed are [UNIX, QUARTZ, SPRING]; did you mean "QUARTZ"?
            /orphan       | "orphan":"rerun"                                   | must be one of [DROP, RERUN]; did you mean "RERUN"?
            /handler/type | "handler":{"type":"ftp"}                             | must be one of
            /handler/statement | "handler":{"type":"sql"}                        | is required
            /handler/statement | "handler":{"type":"sql","statement":"commit"}   | must begin with
            /handler/statement/1 | "handler":{"type":"sql","statement":["select 1","select :data.x"]} | no "data.x"
            /handler/statement | "handler":{"type":"sql","statement":"select :slott"} | unknown parameter
            /handler/statement | "handler":{"type":"sql","statement":[]}         | 1 to 100
            /handler/parameters/data | "handler":{"type":"sql","statement":"select 1","parameters":{"data":1}} | is not a valid name
            /handler/command | "handler":{"type":"shell"}                        | is required
            /handler/command | "handler":{"type":"shell","command":"rm -rf /"}   | list
            /handler/command/1 | "handler":{"type":"shell","command":["a",1]}    | string
            /handler/environment/TWINBELL_SLOT | "handler":{"type":"shell","command":["a"],"environment":{"TWINBELL_SLOT":"x"}} | itself
            /handler/environment/a=b | "handler":{"type":"shell","command":["a"],"environment":{"a=b":"x"}} | name
            /handler/workingDirectory | "handler":{"type":"shell","command":["a"],"workingDirectory":"x"} | absolute
            /handler/successCodes | "handler":{"type":"shell","command":["a"],"successCodes":[256]} | 0 to 255
            /handler/url  | "handler":{"type":"http","url":"file:///etc/passwd"} | http or https
            /handler/url  | "handler":{"type":"http"}                            | is required
            /handler/message | "handler":{"type":"log","message":["x"]}          | must be a string
            /handler/message | "handler":{"type":"log","message":{}}             | must be a string
            /handler/successCodes | "handler":{"type":"http","url":"http://h/","successCodes":{}} | list
            /handler/url  | "handler":{"type":"http","url":"http://u:p@h/"}      | Authorization
            /handler/method | "handler":{"type":"http","url":"http://h/","method":"GE T"} | HTTP method
            /handler/headers/X | "handler":{"type":"http","url":"http://h/","headers":{"X":"a\\r\\nB: c"}} | printable
            /handler/headers/Host | "handler":{"type":"http","url":"http://h/","headers":{"Host":"x"}} | itself
            /handler/headers/Twinbell-Epoch | "handler":{"type":"http","url":"http://h/","headers":{"Twinbell-Epoch":"1"}} | Twinbell
            /handler/url | "handler":{"type":"http","url":"http://${slot}/"} | not in its host
            /handler/url | "handler":{"type":"http","url":"http://h/${dat}"} | unknown variable
            /handler/body | "handler":{"type":"http","url":"http://h/","body":"${data.x}"} | no "data.x"
            /handler/body | "handler":{"type":"http","url":"http://h/","body":"${secret.A}"} | use a header
            /handler/headers/X | "handler":{"type":"http","url":"http://h/","headers":{"X":"${data.x}"}},"data":{"x":"a\\r\\nB: c"} | printable
            /handler/headers/X | "handler":{"type":"http","url":"http://h/","headers":{"X":"${secret.a}"}} | capital letters
            /handler/successCodes/1 | "handler":{"type":"http","url":"http://h/","successCodes":[200,"6xx"]} | 2xx
            /handler/successCodes | "handler":{"type":"http","url":"http://h/","successCodes":200} | list
            /handler/connectTimeout | "handler":{"type":"http","url":"http://h/","connectTimeout":"PT0S"} | between
            /handler/followRedirects | "handler":{"type":"http","url":"http://h/","followRedirects":5} | true or false
            /handler/secret | "handler":{"type":"http","url":"http://h/","secret":"hush"} | configuration
            /handler/secret/ref | "handler":{"type":"http","url":"http://h/","secret":{"ref":"a b"}} | capital letters
            /handler/ulr | "handler":{"type":"http","url":"http://h/","ulr":"x"} | did you mean "url"
            /handler/key | "handler":{"type":"java"}                             | is required
            /timeout   | "timeout":"PT0S"                                        | between PT0.001S
            /timeout   | "timeout":"P8D"                                         | PT168H
            /timeout   | "timeout":30                                            | duration
            /retry/maxAttempts | "retry":{"maxAttempts":0}                       | from 1 to 1000
            /retry/multiplier | "retry":{"multiplier":0.5}                       | from 1 to 100
            /retry/jitter | "retry":{"jitter":"much"}                            | from 0 to 1
            /retry/maxBackoff | "retry":{"backoff":"PT1M","maxBackoff":"PT1S"}   | shorter than the backoff
            /retry/tries | "retry":{"tries":3}                                   | unknown field
            /retry/onlyOn | "retry":{"onlyOn":"HTTP_503"}                        | list of 1 to 32 error codes
            /retry/onlyOn/1 | "retry":{"onlyOn":["HTTP_503","http_5*"]}          | error code such as HTTP_503
            /retry/notOn/0 | "retry":{"notOn":[503]}                             | error code such as HTTP_503
            /retry/notOn/0 | "retry":{"notOn":["*_503"]}                         | error code such as HTTP_503
            /retry/on  | "retry":{"on":["HTTP_503"]}                             | unknown field
            /misfire/policy | "misfire":{"policy":"FIRE_TWICE"}                  | FIRE_ONCE, SKIP, FIRE_ALL
            /misfire/max | "misfire":{"policy":"FIRE_ALL","max":0}               | from 1 to 1000
            /misfire/order | "misfire":{"policy":"FIRE_ALL","order":"BEST"}      | NEWEST, OLDEST
            /misfire/most | "misfire":{"most":1}                                 | unknown field
            /misfire/threshold | "misfire":{"threshold":"-PT1S"}                 | between PT0S
            /overlap/max | "overlap":{"policy":"QUEUE","max":0}                  | from 1 to 1000
            /overlap/max | "overlap":{"policy":"SKIP","max":2}                   | with QUEUE only
            /overlap/policy | "overlap":{"policy":"MAYBE"}                       | CANCEL_RUNNING
            /overlap/most | "overlap":{"most":2}                                 | unknown field
            /expireAfter | "expireAfter":"P366D"                                 | between PT0.001S and
            /pauseOnFailure | "pauseOnFailure":0                                 | from 1 to 1000
            /overlap   | "overlap":"MAYBE"                                       | ALLOW, SKIP
            /orphan    | "orphan":"KEEP"                                         | DROP, RERUN
            /concurrencyKey | "concurrencyKey":""                                | 1 to 200 characters
            /concurrencyKey | "concurrencyKey":"tag:x"                           | must not begin with
            /concurrencyKey | "concurrencyKey":5                                 | must be a string
            /jitter    | "jitter":"-PT5S"                                        | between PT0S and PT24H
            /jitter    | "jitter":"PT24H0.001S"                                  | between PT0S and PT24H
            /jitter    | "jitter":5                                              | must be a duration
            /jitter    | "jitter":"PT0.0001S"                                    | whole milliseconds
            /maxRuns   | "maxRuns":0                                             | from 1 to 1000000000
            /maxRuns   | "maxRuns":1000000001                                    | from 1 to 1000000000
            /maxRuns   | "maxRuns":"3"                                           | whole number
            /runs      | "runs":1                                                | unknown field
            /priority  | "priority":10                                           | from 0 to 9
            /priority  | "priority":-1                                           | from 0 to 9
            /priority  | "priority":"high"                                       | whole number
            /data/x    | "data":{"x":"a\\u0000b"}                              | U+0000
            /data/x    | "data":{"x":1e5000}                                     | 1000 digits
            /version   | "version":1                                             | unknown field
            """)
    void a_field_that_is_wrong_is_named_and_nothing_is_stored(String pointer, String member, String said) {
        String key = member.substring(1, member.indexOf('"', 1));
        String json = merged(key, "{" + member + "}");
        Reply reply = api.post("/api/v1/tasks", json);
        assertAll(
                () -> assertEquals(400, reply.status(), reply.body().toString()),
                () -> assertEquals(
                        "application/problem+json;charset=utf-8",
                        reply.raw().headers().firstValue("Content-Type").orElseThrow()),
                () -> assertEquals(
                        pointer, reply.firstError("pointer"), reply.body().toString()),
                () -> assertTrue(
                        reply.firstError("detail").contains(said), reply.body().toString()),
                () -> assertEquals("/api/v1/tasks", reply.text("/instance")),
                () -> assertEquals(0, api.tasks()));
    }

    private static String merged(String key, String override) {
        String member = override.substring(1, override.length() - 1);
        String base = HTTP_TASK.formatted("x").strip();
        String without = switch (key) {
            case "app" -> base.replace("\"app\":\"billing\",", "");
            case "name" -> base.replace("\"name\":\"x\",", "");
            case "schedule" -> base.replace("\"schedule\":{\"every\":\"PT1H\"},", "");
            case "handler" -> base.replaceAll("(?s),\\s*\"handler\":.*}$", "}");
            default -> base;
        };
        return without.substring(0, without.length() - 1) + "," + member + "}";
    }

    @Test
    void a_bad_cron_says_where_it_is_bad() {
        Reply reply = api.post(
                "/api/v1/tasks",
                HTTP_TASK.formatted("x").replace("{\"every\":\"PT1H\"}", "{\"cron\":\"0 0 12 * FOO ?\"}"));
        assertEquals("/schedule/cron", reply.firstError("pointer"));
        assertTrue(reply.firstError("detail").contains("FOO"), reply.body().toString());
        assertTrue(
                reply.firstError("detail").matches(".*(position|column|character) ?\\d+.*"),
                reply.body().toString());
    }

    @Test
    void all_that_is_wrong_is_told_at_once() {
        Reply reply = api.post("/api/v1/tasks", "{\"name\":\"\",\"schedule\":{\"every\":\"x\"},\"foo\":1}");
        assertStatus(400, reply);
        assertEquals(
                List.of("/app", "/name", "/schedule/every", "/handler", "/foo"),
                reply.body().get("errors").findValuesAsText("pointer"));
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '\'', textBlock = """
            not json at all               | not JSON
            {"app":"a","app":"b"}         | Duplicate
            {"app":"a"} trailing          | not JSON
            {"app":"a"                    | not JSON
            ''                            | the text is empty
            [1,2]                         | must be a JSON object
            """)
    void a_body_that_is_not_one_json_object_is_refused(String body, String said) {
        Reply reply = api.post("/api/v1/tasks", body);
        assertStatus(400, reply);
        assertTrue(reply.firstError("detail").contains(said), reply.body().toString());
        assertEquals("", reply.firstError("pointer"));
    }

    @Test
    void a_body_of_null_counts_as_none_where_it_is_optional() {
        assertStatus(201, api.post("/api/v1/tasks", HTTP_TASK.formatted("pausable")));
        assertStatus(200, api.post("/api/v1/apps/billing/tasks/pausable/pause", "null"));
        assertStatus(400, api.post("/api/v1/tasks", "null"));
    }

    @Test
    void a_body_that_is_not_declared_as_json_is_415() {
        var form = api.request("/api/v1/tasks")
                .header("Content-Type", "application/x-www-form-urlencoded")
                .POST(BodyPublishers.ofString(HTTP_TASK.formatted("x")));
        assertStatus(415, api.send(form));
        var none = api.request("/api/v1/tasks").POST(BodyPublishers.ofString(HTTP_TASK.formatted("x")));
        assertStatus(415, api.send(none));
        assertEquals(0, api.tasks());
    }

    @Test
    void a_payload_of_64_kibibytes_is_stored_and_one_byte_more_is_413() {
        int limit = 64 * 1024;
        String fits = withData("fits", "\"" + "x".repeat(limit - 2) + "\"");
        assertStatus(201, api.post("/api/v1/tasks", fits));
        Reply reply = api.post("/api/v1/tasks", withData("one-more", "\"" + "x".repeat(limit - 1) + "\""));
        assertStatus(413, reply);
        assertEquals("/data", reply.firstError("pointer"));
        assertEquals(1, api.tasks());
    }

    @Test
    void a_payload_that_is_small_as_text_and_wide_in_the_database_is_stored_too() {
        String numbers = "[" + "1,".repeat(32_000) + "1]";
        assertStatus(201, api.post("/api/v1/tasks", withData("wide", numbers)));
    }

    @Test
    void a_body_that_is_far_too_large_is_413_before_it_is_read_as_json() {
        Reply reply = api.post("/api/v1/tasks", "x".repeat(2_000_000));
        assertStatus(413, reply);
        assertEquals(0, api.tasks());
    }

    private static String withData(String name, String data) {
        return HTTP_TASK.formatted(name).replaceFirst("\\{", "{\"data\":" + data + ",");
    }

    @Test
    void a_name_that_is_taken_is_409_and_the_first_task_stays() {
        long id = api.task("taken");
        Reply reply = api.post("/api/v1/tasks", HTTP_TASK.formatted("taken"));
        assertStatus(409, reply);
        assertEquals("/name", reply.firstError("pointer"));
        assertEquals(id, api.number("select id from twinbell.task"));
    }

    @Test
    void many_concurrent_creates_of_one_name_are_one_201_and_409_otherwise() {
        List<CompletableFuture<Integer>> replies = IntStream.range(0, 8)
                .mapToObj(i -> CompletableFuture.supplyAsync(() ->
                        api.post("/api/v1/tasks", HTTP_TASK.formatted("once")).status()))
                .toList();
        List<Integer> statuses =
                replies.stream().map(CompletableFuture::join).sorted().toList();
        assertEquals(List.of(201, 409, 409, 409, 409, 409, 409, 409), statuses);
        assertEquals(1, api.tasks());
    }

    @Test
    void unknown_paths_ids_and_methods_are_problems_too() {
        assertAll(
                () -> assertProblem(404, api.get("/api/v1/tasks/4711")),
                () -> assertProblem(404, api.get("/api/v1/tasks/x")),
                () -> assertProblem(404, api.get("/nowhere")),
                () -> assertProblem(404, api.delete("/api/v1/tasks/4711")),
                () -> assertProblem(404, api.post("/api/v1/tasks/4711/pause", "{}")),
                () -> assertProblem(404, api.post("/api/v1/tasks/4711/trigger", "{}")),
                () -> assertProblem(404, api.json("PATCH", "/api/v1/tasks/4711", "{}")),
                () -> assertProblem(404, api.get("/api/v1/executions/1-2")),
                () -> assertProblem(404, api.get("/api/v1/executions/nonsense")),
                () -> assertProblem(405, api.json("PUT", "/api/v1/tasks", "{}")),
                () -> assertProblem(405, api.delete("/api/v1/cluster")));
    }

    private static void assertProblem(int status, Reply reply) {
        assertEquals(status, reply.status(), reply.body().toString());
        assertEquals(status, reply.number("/status"));
        assertTrue(reply.text("/type").startsWith("urn:twinbell:problem:"));
    }
}
