package io.twinbell.receiver;

import java.util.Base64;

/** A secret in the form of the specification Standard Webhooks. */
final class WebhookKey {
    static final String PREFIX = "whsec_";
    private static final int MIN_BYTES = 24;
    private static final int MAX_BYTES = 64;

    static final String FORM = PREFIX + " and the base64 of " + MIN_BYTES + " to " + MAX_BYTES + " random bytes";

    private WebhookKey() {}

    static boolean isOne(String secret) {
        return secret.startsWith(PREFIX);
    }

    /** @throws IllegalArgumentException if the secret does not have the form; the message omits the secret */
    static byte[] read(String secret) {
        byte[] key;
        try {
            key = Base64.getDecoder().decode(secret.substring(PREFIX.length()));
        } catch (IllegalArgumentException e) {
            // The cause would contain a character of the secret.
            throw new IllegalArgumentException("a secret that begins with " + PREFIX + " must be " + FORM);
        }
        if (key.length < MIN_BYTES || key.length > MAX_BYTES) {
            throw new IllegalArgumentException("a secret that begins with " + PREFIX + " must be " + FORM);
        }
        return key;
    }
}
