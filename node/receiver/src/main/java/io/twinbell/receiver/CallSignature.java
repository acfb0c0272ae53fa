package io.twinbell.receiver;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Clock;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.function.UnaryOperator;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Checks {@code Twinbell-Signature}: the HMAC-SHA256 of timestamp, a dot and the body, under any of the secrets. */
final class CallSignature {
    private static final String ALGORITHM = "HmacSHA256";

    private final List<String> secrets;
    private final Duration tolerance;
    private final Clock clock;

    /** @param secrets none means that every call is accepted */
    CallSignature(List<String> secrets, Duration tolerance, Clock clock) {
        this.secrets = List.copyOf(secrets);
        this.tolerance = tolerance;
        this.clock = clock;
    }

    void check(UnaryOperator<String> headers, byte[] body) {
        if (secrets.isEmpty()) {
            return;
        }
        String timestamp = headers.apply("Twinbell-Timestamp");
        String signature = headers.apply("Twinbell-Signature");
        if (timestamp == null || signature == null) {
            throw new CallRefusedException(401, "the call has no signature: set \"secret\" in the task's handler");
        }
        // Under every secret, so that the time taken does not say which one fits.
        boolean isGenuine = false;
        for (String secret : secrets) {
            isGenuine |= MessageDigest.isEqual(
                    signature.getBytes(StandardCharsets.UTF_8),
                    of(secret, timestamp, body).getBytes(StandardCharsets.UTF_8));
        }
        if (!isGenuine) {
            throw new CallRefusedException(401, "the signature is not that of this body under a known secret");
        }
        if (age(timestamp).compareTo(tolerance) > 0) {
            throw new CallRefusedException(
                    401, "the signature is more than " + tolerance.toSeconds() + " s old or ahead: compare the clocks");
        }
    }

    private Duration age(String timestamp) {
        try {
            return Duration.ofSeconds(Long.parseLong(timestamp))
                    .minusMillis(clock.millis())
                    .abs();
        } catch (NumberFormatException | ArithmeticException e) {
            throw new CallRefusedException(401, "the header Twinbell-Timestamp must be seconds since 1970");
        }
    }

    static String of(String secret, String timestamp, byte[] body) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), ALGORITHM));
            mac.update((timestamp + ".").getBytes(StandardCharsets.UTF_8));
            return "v1=" + HexFormat.of().formatHex(mac.doFinal(body));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has " + ALGORITHM, e);
        }
    }
}
