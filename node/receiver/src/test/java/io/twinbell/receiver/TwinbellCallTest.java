package io.twinbell.receiver;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The headers of a call, and its signature. */
class TwinbellCallTest {
    private static final byte[] BODY = "{\"n\":1}".getBytes(StandardCharsets.UTF_8);
    private static final Instant NOW = Instant.ofEpochSecond(1_767_571_200);

    private final Map<String, String> headers = new HashMap<>(Map.of(
            "Idempotency-Key", "42/2026-01-05T00:00:00Z",
            "Twinbell-Attempt", "2",
            "Twinbell-Epoch", "7",
            "Twinbell-Task", "42"));

    @Test
    void key_attempt_epoch_and_task_are_read_from_the_headers() {
        assertEquals(new TwinbellCall("42/2026-01-05T00:00:00Z", 2, 7, "42"), TwinbellCall.of(headers::get));
    }

    @ParameterizedTest
    @CsvSource({
        "Idempotency-Key,",
        "Idempotency-Key,a b",
        "Twinbell-Attempt,",
        "Twinbell-Attempt,0",
        "Twinbell-Attempt,2147483648",
        "Twinbell-Epoch,",
        "Twinbell-Epoch,-1",
        "Twinbell-Epoch,seven"
    })
    void a_missing_or_malformed_header_is_refused_by_name(String name, String value) {
        headers.put(name, value);
        CallRefusedException refused = assertThrows(CallRefusedException.class, () -> TwinbellCall.of(headers::get));
        assertEquals(400, refused.status());
        assertTrue(refused.getMessage().contains(name), refused.getMessage());
    }

    private static CallSignature signature(Instant now, String... secrets) {
        return new CallSignature(List.of(secrets), Duration.ofMinutes(5), Clock.fixed(now, ZoneOffset.UTC));
    }

    private void sign(String secret) {
        String timestamp = Long.toString(NOW.getEpochSecond());
        headers.put("Twinbell-Timestamp", timestamp);
        headers.put("Twinbell-Signature", CallSignature.of(secret, timestamp, BODY));
    }

    @Test
    void a_signature_under_any_of_the_secrets_is_accepted_for_five_minutes() {
        sign("new");
        assertDoesNotThrow(() -> signature(NOW, "old", "new").check(headers::get, BODY));
        assertDoesNotThrow(() -> signature(NOW.plusSeconds(300), "new").check(headers::get, BODY));
        assertDoesNotThrow(() -> signature(NOW.minusSeconds(300), "new").check(headers::get, BODY));
        for (long late : new long[] {301, -301}) {
            assertRefused(signature(NOW.plusSeconds(late), "new"), BODY);
        }
    }

    @Test
    void a_changed_body_another_secret_and_a_missing_signature_are_refused() {
        assertRefused(signature(NOW, "s"), BODY);
        sign("s");
        assertRefused(signature(NOW, "s"), "{\"n\":2}".getBytes(StandardCharsets.UTF_8));
        assertRefused(signature(NOW, "t"), BODY);
        headers.put("Twinbell-Timestamp", "today");
        assertRefused(signature(NOW, "s"), BODY);
    }

    /** The value was computed by another program: {@code printf '5.hello' | openssl dgst -sha256 -hmac key}. */
    @Test
    void the_signature_is_that_of_other_programs() {
        assertEquals(
                "v1=22a689a24c1ec53c4aef64be82ba9279ce3673db08707638f518b0b5033f9663",
                CallSignature.of("key", "5", "hello".getBytes(StandardCharsets.UTF_8)));
    }

    private static final String OLD_KEY = webhookKey("old-old-old-old-old-old-");
    private static final String NEW_KEY = webhookKey("new-new-new-new-new-new-");

    private static String webhookKey(String bytes) {
        return "whsec_" + Base64.getEncoder().encodeToString(bytes.getBytes(StandardCharsets.UTF_8));
    }

    private void signAsWebhook(String key, String others) {
        String timestamp = Long.toString(NOW.getEpochSecond());
        headers.put("webhook-id", "42-" + NOW.toEpochMilli());
        headers.put("webhook-timestamp", timestamp);
        headers.put(
                "webhook-signature",
                others + CallSignature.standard(WebhookKey.read(key), headers.get("webhook-id"), timestamp, BODY));
    }

    @Test
    void a_standard_webhook_signed_with_any_of_the_secrets_is_accepted_for_five_minutes() {
        signAsWebhook(NEW_KEY, "");
        assertDoesNotThrow(() -> signature(NOW, OLD_KEY, NEW_KEY).check(headers::get, BODY));
        assertDoesNotThrow(
                () -> signature(NOW.plusSeconds(300), "plain", NEW_KEY).check(headers::get, BODY));
        for (long late : new long[] {301, -301}) {
            assertRefused(signature(NOW.plusSeconds(late), NEW_KEY), BODY);
        }
    }

    @Test
    void one_of_several_signatures_of_a_standard_webhook_is_enough() {
        signAsWebhook(
                NEW_KEY,
                "v1,AAAA v1a,hnO3f9T8Ytu9HwrXslvumlUpqtNVqkhqw/enGzPCXe5BdqzCInXqYXFymVJaA7AZdpXwVLPo3mNl8EM+m7TBAg== ");
        assertDoesNotThrow(() -> signature(NOW, NEW_KEY).check(headers::get, BODY));
        signAsWebhook(NEW_KEY, "v1,AAAA ".repeat(20));
        assertRefused(signature(NOW, NEW_KEY), BODY);
    }

    @Test
    void a_standard_webhook_that_was_changed_or_lacks_a_header_is_refused() {
        signAsWebhook(OLD_KEY, "");
        assertRefused(signature(NOW, NEW_KEY), BODY);
        assertRefused(signature(NOW, "plain"), BODY);
        assertRefused(signature(NOW, OLD_KEY), "{\"n\":2}".getBytes(StandardCharsets.UTF_8));
        for (String header : List.of("webhook-id", "webhook-timestamp", "webhook-signature")) {
            String value = headers.remove(header);
            assertRefused(signature(NOW, OLD_KEY), BODY);
            headers.put(header, header.equals("webhook-timestamp") ? "9" + value : value + "1");
            assertRefused(signature(NOW, OLD_KEY), BODY);
            headers.put(header, value);
        }
        assertDoesNotThrow(() -> signature(NOW, OLD_KEY).check(headers::get, BODY));
    }

    /** The id is signed and names the slot, so nobody can give a signed call the key of another slot. */
    @Test
    void the_key_of_a_standard_webhook_must_be_that_of_its_signed_id() {
        signAsWebhook(OLD_KEY, "");
        for (String other : List.of("42/2026-01-05T00:00:01Z", "43/2026-01-05T00:00:00Z", "42/today", "42")) {
            headers.put("Idempotency-Key", other);
            assertRefused(signature(NOW, OLD_KEY), BODY);
        }
    }

    /** The example of the specification's reference libraries. */
    @Test
    void the_signature_of_a_standard_webhook_is_that_of_other_programs() {
        assertEquals(
                "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
                CallSignature.standard(
                        WebhookKey.read("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"),
                        "msg_p5jXN8AQM9LWM0D4loKWxJek",
                        "1614265330",
                        "{\"test\": 2432232314}".getBytes(StandardCharsets.UTF_8)));
    }

    @Test
    void a_webhook_secret_that_is_too_short_or_no_base64_is_refused_without_being_shown() {
        for (String secret : List.of("whsec_c2hvcnQ=", "whsec_!!!!", "whsec_")) {
            IllegalArgumentException refused = assertThrows(
                    IllegalArgumentException.class,
                    () -> ExactlyOnceReceiver.builder(null).secret(secret));
            assertTrue(refused.getMessage().contains("24 to 64 random bytes"), refused::getMessage);
            assertFalse(refused.getMessage().contains("c2hvcnQ"), refused::getMessage);
        }
    }

    private void assertRefused(CallSignature signature, byte[] body) {
        CallRefusedException refused =
                assertThrows(CallRefusedException.class, () -> signature.check(headers::get, body));
        assertEquals(401, refused.status());
    }
}
