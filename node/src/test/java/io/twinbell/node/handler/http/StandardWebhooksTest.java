package io.twinbell.node.handler.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.node.json.FieldError;
import io.twinbell.node.json.StrictJson;
import io.twinbell.node.template.TemplateException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The signature of Standard Webhooks, by a published example, and the secrets that can make one. */
class StandardWebhooksTest {
    private static final String PUBLISHED = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

    @Test
    void the_published_example_of_the_specification_has_its_published_signature() {
        byte[] body = "{\"test\": 2432232314}".getBytes(StandardCharsets.UTF_8);
        assertEquals(
                "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
                StandardWebhooks.signature(
                        StandardWebhooks.key("KEY", PUBLISHED), "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", body));
    }

    @ParameterizedTest
    @ValueSource(ints = {24, 64})
    void keys_of_the_lengths_of_the_specification_are_accepted(int length) {
        assertEquals(length, StandardWebhooks.key("KEY", secret(length)).length);
    }

    @ParameterizedTest
    @ValueSource(strings = {"MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_", "whsec_not base64!", "whsk_MfKQ9r8GKYqr"})
    void a_secret_of_another_form_is_refused_and_not_repeated(String secret) {
        refuse(secret);
    }

    @ParameterizedTest
    @ValueSource(ints = {23, 65})
    void keys_of_other_lengths_are_refused(int length) {
        refuse(secret(length));
    }

    private static void refuse(String secret) {
        String error = assertThrows(TemplateException.class, () -> StandardWebhooks.key("KEY", secret))
                .getMessage();
        assertTrue(error.startsWith("the secret KEY cannot sign by STANDARD_WEBHOOKS: it must be whsec_"), error);
        assertFalse(secret.length() > 6 && error.contains(secret), error);
    }

    @Test
    void a_call_that_no_secret_of_this_node_can_sign_is_refused_when_stored() {
        try (HttpCaller caller = HttpCalls.caller(List.of(), Map.of("GOOD", PUBLISHED, "BAD", "s3cret-value"))) {
            assertEquals(
                    List.of("/secret/ref"),
                    refusals(caller, "BAD", "STANDARD_WEBHOOKS").stream()
                            .map(FieldError::pointer)
                            .toList());
            assertEquals(List.of(), refusals(caller, "GOOD", "STANDARD_WEBHOOKS"));
            assertEquals(List.of(), refusals(caller, "BAD", "TWINBELL"));
            assertEquals(List.of(), refusals(caller, "UNKNOWN", "STANDARD_WEBHOOKS"));
        }
    }

    private static List<FieldError> refusals(HttpCaller caller, String secret, String signature) {
        return caller.refusals(
                "app",
                StrictJson.readStored("{\"url\":\"http://127.0.0.1:9000/x\",\"secret\":{\"ref\":\"" + secret
                        + "\"},\"signature\":\"" + signature + "\"}"));
    }

    private static String secret(int length) {
        return "whsec_" + Base64.getEncoder().encodeToString(new byte[length]);
    }
}
