package io.twinbell.node.access.token;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Base64;

/** Makes tokens of 256 random bits. The prefix lets scanners of repositories find them. */
public final class TokenText {
    public static final String PREFIX = "tb_";

    private static final int BYTES = 32;
    private static final SecureRandom RANDOM = new SecureRandom();

    private TokenText() {}

    public static String random() {
        byte[] bits = new byte[BYTES];
        RANDOM.nextBytes(bits);
        return PREFIX + Base64.getUrlEncoder().withoutPadding().encodeToString(bits);
    }

    /** Returns SHA-256 of the token. */
    public static byte[] hash(String token) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(token.getBytes(StandardCharsets.UTF_8));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
