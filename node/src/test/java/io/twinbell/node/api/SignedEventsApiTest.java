package io.twinbell.node.api;

import static io.twinbell.node.api.ApiFixture.assertStatus;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.node.api.ApiFixture.Reply;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What is stored and refused of the signature and the CloudEvents of a call. */
class SignedEventsApiTest {
    private static final String HANDLER = "{\"type\":\"http\",\"url\":\"http://127.0.0.1:9/x\",%s}";

    @AutoClose
    private final ApiFixture api = new ApiFixture();

    @AfterEach
    void close() {
        api.execute("delete from twinbell.task");
    }

    private Reply store(String members) {
        return api.post(
                "/api/v1/tasks",
                "{\"app\":\"app\",\"name\":\"t\",\"schedule\":{\"every\":\"PT1H\"},\"handler\":"
                        + HANDLER.formatted(members) + "}");
    }

    private void storeBySql(String members) {
        api.execute("select twinbell.add_task('app', 'by-sql', '{\"every\":\"PT1H\"}', '" + HANDLER.formatted(members)
                + "', '{}')");
    }

    @Test
    void a_task_keeps_its_scheme_and_mode_and_posts_without_a_body() {
        String members =
                "\"secret\":{\"ref\":\"KEY\"},\"signature\":\"STANDARD_WEBHOOKS\",\"cloudEvents\":\"STRUCTURED\"";
        JsonNode handler = store(members).body().path("handler");
        assertEquals("STANDARD_WEBHOOKS", handler.path("signature").textValue());
        assertEquals("STRUCTURED", handler.path("cloudEvents").textValue());
        assertEquals("POST", handler.path("method").textValue());
        storeBySql(members);
    }

    @Test
    void the_default_scheme_is_not_written() {
        JsonNode handler = store("\"secret\":{\"ref\":\"KEY\"},\"signature\":\"TWINBELL\"")
                .body()
                .path("handler");
        assertNull(handler.get("signature"));
        assertNull(handler.get("cloudEvents"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
        "signature":"STANDARD_WEBHOOKS"                                                | /handler/signature
        "signature":"HMAC","secret":{"ref":"K"}                                        | /handler/signature
        "cloudEvents":"BATCH"                                                          | /handler/cloudEvents
        "cloudEvents":"BINARY","headers":{"Ce-Id":"1"}                                 | /handler/headers/Ce-Id
        "signature":"STANDARD_WEBHOOKS","secret":{"ref":"K"},"headers":{"Webhook-Id":"1"} | /handler/headers/Webhook-Id
        """)
    void a_contradiction_is_refused(String members, String pointer) {
        Reply refused = store(members);
        assertStatus(400, refused);
        assertEquals(pointer, refused.firstError("pointer"), refused.body()::toString);
    }

    @Test
    void a_structured_event_needs_json_that_is_json() {
        Reply refused = store("\"cloudEvents\":\"STRUCTURED\",\"body\":\"{oops\"");
        assertEquals("/handler/body", refused.firstError("pointer"), refused.body()::toString);
        assertTrue(refused.firstError("detail").startsWith("is not JSON"), refused.body()::toString);
    }

    @Test
    void the_webhook_of_an_alert_has_both_members() {
        Reply alert = api.json(
                "PUT",
                "/api/v1/alerts/a",
                "{\"on\":[\"FAILED\"],\"webhook\":{\"url\":\"http://127.0.0.1:9/x\",\"secret\":{\"ref\":\"KEY\"},"
                        + "\"signature\":\"STANDARD_WEBHOOKS\",\"cloudEvents\":\"BINARY\"}}");
        assertEquals("BINARY", alert.text("/webhook/cloudEvents"), alert.body()::toString);
        assertEquals("STANDARD_WEBHOOKS", alert.text("/webhook/signature"));
        assertStatus(204, api.json("DELETE", "/api/v1/alerts/a", ""));
    }
}
