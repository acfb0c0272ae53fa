package io.twinbell.receiver;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.function.UnaryOperator;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Checks the signature of a call under any of the secrets: {@code webhook-signature} of the specification Standard
 * Webhooks if there is one, otherwise {@code Twinbell-Signature}.
 */
final class CallSignature {
    private static final String ALGORITHM = "HmacSHA256";
    private static final String STANDARD_VERSION = "v1,";

    /** A call has one; a proxy of many keys may add more. */
    private static final int MOST_SIGNATURES = 20;

    private final List<String> secrets;
    private final List<byte[]> standardKeys = new ArrayList<>();
    private final Duration tolerance;
    private final Clock clock;

    /** @param secrets none means that every call is accepted */
    CallSignature(List<String> secrets, Duration tolerance, Clock clock) {
        this.secrets = List.copyOf(secrets);
        this.tolerance = tolerance;
        this.clock = clock;
        secrets.stream().filter(WebhookKey::isOne).map(WebhookKey::read).forEach(standardKeys::add);
    }

    void check(UnaryOperator<String> headers, byte[] body) {
        if (secrets.isEmpty()) {
            return;
        }
        String signatures = headers.apply("webhook-signature");
        if (signatures == null) {
            checkTwinbell(headers, body);
        } else {
            checkStandard(headers, signatures, body);
        }
    }

    private void checkTwinbell(UnaryOperator<String> headers, byte[] body) {
        String timestamp = headers.apply("Twinbell-Timestamp");
        String signature = headers.apply("Twinbell-Signature");
        if (timestamp == null || signature == null) {
            throw new CallRefusedException(401, "the call has no signature: set \"secret\" in the task's handler");
        }
        // Under every secret, so that the time taken does not say which one fits.
        boolean isGenuine = false;
        for (String secret : secrets) {
            isGenuine |= areEqual(signature, of(secret, timestamp, body));
        }
        requireGenuine(isGenuine);
        requireFresh("Twinbell-Timestamp", timestamp);
    }

    /** The header has one signature or several, separated by spaces; those of another version are not looked at. */
    private void checkStandard(UnaryOperator<String> headers, String signatures, byte[] body) {
        String id = headers.apply("webhook-id");
        String timestamp = headers.apply("webhook-timestamp");
        if (id == null || timestamp == null) {
            throw new CallRefusedException(401, "a call with webhook-signature needs webhook-id and webhook-timestamp");
        }
        if (standardKeys.isEmpty()) {
            throw new CallRefusedException(
                    401,
                    "the call is signed by Standard Webhooks, and the receiver has no secret of that form: "
                            + WebhookKey.FORM);
        }
        String[] candidates = signatures.split(" ", MOST_SIGNATURES + 1);
        if (candidates.length > MOST_SIGNATURES) {
            throw new CallRefusedException(401, "webhook-signature has more than " + MOST_SIGNATURES + " signatures");
        }
        boolean isGenuine = false;
        for (byte[] key : standardKeys) {
            String expected = standard(key, id, timestamp, body);
            for (String candidate : candidates) {
                isGenuine |= areEqual(candidate, expected);
            }
        }
        requireGenuine(isGenuine);
        requireFresh("webhook-timestamp", timestamp);
        String key = headers.apply("Idempotency-Key");
        if (key != null && !belongs(id, key)) {
            throw new CallRefusedException(401, "the signed webhook-id is not that of the header Idempotency-Key");
        }
    }

    /** The id is that of the execution, and the key is that of its slot; a delivery of an alert has one text for both. */
    private static boolean belongs(String id, String key) {
        int slash = key.indexOf('/');
        if (id.equals(key) || slash < 0) {
            return id.equals(key);
        }
        try {
            return id.equals(key.substring(0, slash) + "-"
                    + Instant.parse(key.substring(slash + 1)).toEpochMilli());
        } catch (DateTimeParseException | ArithmeticException e) {
            return false;
        }
    }

    private static boolean areEqual(String signature, String expected) {
        return MessageDigest.isEqual(
                signature.getBytes(StandardCharsets.UTF_8), expected.getBytes(StandardCharsets.UTF_8));
    }

    private static void requireGenuine(boolean isGenuine) {
        if (!isGenuine) {
            throw new CallRefusedException(401, "the signature is not that of this body under a known secret");
        }
    }

    private void requireFresh(String header, String timestamp) {
        if (age(header, timestamp).compareTo(tolerance) > 0) {
            throw new CallRefusedException(
                    401, "the signature is more than " + tolerance.toSeconds() + " s old or ahead: compare the clocks");
        }
    }

    private Duration age(String header, String timestamp) {
        try {
            return Duration.ofSeconds(Long.parseLong(timestamp))
                    .minusMillis(clock.millis())
                    .abs();
        } catch (NumberFormatException | ArithmeticException e) {
            throw new CallRefusedException(401, "the header " + header + " must be seconds since 1970");
        }
    }

    /** The HMAC-SHA256 of timestamp, a dot and the body. */
    static String of(String secret, String timestamp, byte[] body) {
        return "v1=" + HexFormat.of().formatHex(hmac(secret.getBytes(StandardCharsets.UTF_8), timestamp + ".", body));
    }

    /** The HMAC-SHA256 of id, timestamp and body with dots between them. */
    static String standard(byte[] key, String id, String timestamp, byte[] body) {
        return STANDARD_VERSION + Base64.getEncoder().encodeToString(hmac(key, id + "." + timestamp + ".", body));
    }

    private static byte[] hmac(byte[] key, String before, byte[] body) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(key, ALGORITHM));
            mac.update(before.getBytes(StandardCharsets.UTF_8));
            return mac.doFinal(body);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has " + ALGORITHM, e);
        }
    }
}
