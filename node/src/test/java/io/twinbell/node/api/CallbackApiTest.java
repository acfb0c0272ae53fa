package io.twinbell.node.api;

import static io.twinbell.node.api.ApiFixture.assertStatus;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.node.api.ApiFixture.Reply;
import io.twinbell.node.engine.handler.CallbackToken;
import java.net.http.HttpRequest;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the receiver of a parked execution posts, and what a task says about its completion. */
class CallbackApiTest {
    private static final String SUCCEEDED = "{\"state\":\"SUCCEEDED\",\"output\":\"42 files\"}";
    private static final long FIRE_MILLIS = 1_767_571_200_000L;

    @AutoClose
    private final ApiFixture api = new ApiFixture();

    private final String token = CallbackToken.random();
    private final long task = api.task("t");
    private final String execution = task + "-" + FIRE_MILLIS;

    CallbackApiTest() {
        String key = task + ", twinbell.instant(" + FIRE_MILLIS + ")";
        api.execute("insert into twinbell.execution (task_id, fire_time, app, name, state, epoch, node, claimed_at)"
                + " values (" + key + ", 'app', 't', 'RUNNING', 1, 'a', clock_timestamp())");
        api.execute("insert into twinbell.parked (task_id, fire_time, attempt, token_hash, expires_at, timeout, is_out)"
                + " values (" + key + ", 1, decode('" + CallbackToken.hash(token) + "', 'hex'),"
                + " clock_timestamp() + interval '1 minute', interval '1 hour', true)");
    }

    @AfterEach
    void close() {
        api.execute("delete from twinbell.parked; delete from twinbell.execution; delete from twinbell.task");
    }

    private Reply post(String action, String header, String json) {
        return api.send(api.request("/api/v1/executions/" + execution + "/" + action)
                .header("Content-Type", "application/json")
                .header("Twinbell-Callback-Token", header)
                .POST(HttpRequest.BodyPublishers.ofString(json)));
    }

    @Test
    void the_first_outcome_is_accepted_and_a_second_is_refused() {
        Reply accepted = post("complete", token, SUCCEEDED);
        assertStatus(200, accepted);
        assertEquals("SUCCEEDED", accepted.text("/state"));
        Reply second = post("complete", token, SUCCEEDED);
        assertStatus(409, second);
        assertTrue(second.text("/detail").contains("the first answer counts"));
        assertStatus(409, post("heartbeat", token, "{}"));
        assertTrue(api.get("/api/v1/executions/" + execution).text("/note").contains("SUCCEEDED"));
    }

    @Test
    void a_wrong_token_gets_the_same_answer_as_a_wrong_execution_and_is_a_failed_attempt() {
        long began = System.nanoTime();
        assertStatus(403, post("complete", "tbc_wrong", SUCCEEDED));
        assertStatus(403, post("heartbeat", "tbc_wrong", "{}"));
        assertTrue(System.nanoTime() - began >= Duration.ofMillis(300).toNanos(), "answers wait: 100 ms, then 200");
        api.execute("update twinbell.parked set fire_time = fire_time + interval '1 second'");
        assertStatus(403, post("complete", token, SUCCEEDED));
        assertStatus(400, api.post("/api/v1/executions/" + execution + "/complete", SUCCEEDED));
        assertEquals(3, api.attempts.total());
    }

    @Test
    void a_heartbeat_says_when_the_attempt_times_out_and_keeps_what_it_reports() {
        Reply beat = post("heartbeat", token, "{\"progress\":0.5,\"message\":\"half\",\"checkpoint\":{\"page\":5}}");
        assertStatus(200, beat);
        assertTrue(beat.text("/expiresAt").endsWith("Z"));
        Reply shown = api.get("/api/v1/executions/" + execution);
        assertEquals(0.5, shown.body().path("progress").asDouble());
        assertEquals(5, shown.number("/checkpoint/page"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '\0', textBlock = """
        complete  | {}                                              | /state
        complete  | {"state":"RUNNING"}                             | /state
        complete  | {"state":"SUCCEEDED","error":"no"}              | /error
        complete  | {"state":"FAILED","errorCode":"no code"}        | /errorCode
        complete  | {"state":"FAILED","what":1}                     | /what
        heartbeat | {"progress":1.5}                                | /progress
        """)
    void an_invalid_body_is_refused(String action, String json, String pointer) {
        Reply refused = post(action, token, json);
        assertStatus(400, refused);
        assertEquals(pointer, refused.firstError("pointer"), refused.body()::toString);
    }

    @Test
    void a_task_says_what_completes_its_calls_and_an_alert_may_not() {
        String call = "{\"app\":\"app\",\"name\":\"%s\",\"schedule\":{\"every\":\"PT1H\"},"
                + "\"handler\":{\"type\":\"http\",\"url\":\"http://127.0.0.1:9/x\",\"completion\":\"%s\"}}";
        Reply stored = api.post("/api/v1/tasks", call.formatted("long", "CALLBACK"));
        assertEquals("CALLBACK", stored.text("/handler/completion"));
        Reply usual = api.post("/api/v1/tasks", call.formatted("usual", "RESPONSE"));
        assertTrue(usual.body().at("/handler/completion").isMissingNode());
        Reply refused = api.post("/api/v1/tasks", call.formatted("other", "LATER"));
        assertEquals("/handler/completion", refused.firstError("pointer"));
        Reply alert = api.json(
                "PUT",
                "/api/v1/alerts/a",
                "{\"on\":[\"FAILED\"],\"webhook\":{\"url\":\"http://127.0.0.1:9/x\",\"completion\":\"CALLBACK\"}}");
        assertEquals("/webhook/completion", alert.firstError("pointer"), alert.body()::toString);
    }
}
