package io.twinbell.node.handler.http;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Computes a webhook signature: HMAC-SHA256 of {@code <timestamp>.<body>}, in hexadecimal after the version prefix
 * {@code v1=}.
 */
final class Signature {
    private static final String ALGORITHM = "HmacSHA256";

    private Signature() {}

    /** @param timestamp seconds since 1970 UTC, as in the header */
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
