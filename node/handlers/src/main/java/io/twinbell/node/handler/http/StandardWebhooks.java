package io.twinbell.node.handler.http;

import io.twinbell.node.template.TemplateException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Computes the symmetric signature {@code v1} of the specification Standard Webhooks. */
final class StandardWebhooks {
    private static final String ALGORITHM = "HmacSHA256";
    private static final String PREFIX = "whsec_";
    private static final int MIN_BYTES = 24;
    private static final int MAX_BYTES = 64;

    private StandardWebhooks() {}

    /**
     * Returns the key that a secret stands for.
     *
     * @param name of the secret, for the error
     * @throws TemplateException if the secret does not have the form of the specification
     */
    static byte[] key(String name, String secret) {
        if (secret.startsWith(PREFIX)) {
            try {
                byte[] key = Base64.getDecoder().decode(secret.substring(PREFIX.length()));
                if (key.length >= MIN_BYTES && key.length <= MAX_BYTES) {
                    return key;
                }
            } catch (IllegalArgumentException e) {
                throw unusable(name);
            }
        }
        throw unusable(name);
    }

    private static TemplateException unusable(String name) {
        return new TemplateException("the secret " + name + " cannot sign by STANDARD_WEBHOOKS: it must be " + PREFIX
                + " and the base64 of " + MIN_BYTES + " to " + MAX_BYTES + " random bytes");
    }

    /**
     * @param id of the message, without a dot
     * @param timestamp seconds since 1970 UTC, as in the header
     */
    static String signature(byte[] key, String id, String timestamp, byte[] body) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(key, ALGORITHM));
            mac.update((id + "." + timestamp + ".").getBytes(StandardCharsets.UTF_8));
            return "v1," + Base64.getEncoder().encodeToString(mac.doFinal(body));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has " + ALGORITHM, e);
        }
    }
}
