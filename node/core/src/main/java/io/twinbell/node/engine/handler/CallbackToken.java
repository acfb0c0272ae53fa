package io.twinbell.node.engine.handler;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HexFormat;

/**
 * The right to answer one attempt: a text of 256 random bits. Only its hash is stored.
 *
 * @param checkpoint the latest checkpoint of the execution, JSON; null if there is none
 */
public record CallbackToken(String text, String checkpoint) {
    private static final int BYTES = 32;
    private static final SecureRandom RANDOM = new SecureRandom();

    /** Makes the text of a new token. */
    public static String random() {
        byte[] bits = new byte[BYTES];
        RANDOM.nextBytes(bits);
        return "tbc_" + Base64.getUrlEncoder().withoutPadding().encodeToString(bits);
    }

    /** Returns SHA-256 of a token's text as 64 hexadecimal digits. */
    public static String hash(String text) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(hash);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Leaves the token out, because it is a secret. */
    @Override
    public String toString() {
        return "CallbackToken";
    }
}
