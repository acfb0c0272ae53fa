package io.twinbell.node.access.oidc;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The state that the browser keeps in a cookie while a person signs in at the provider. Only the browser that began may
 * end the attempt.
 *
 * @param state returns with the answer of the provider (RFC 6749, 10.12)
 * @param nonce returns within the ID token (OpenID Connect Core 1.0, 3.1.2.1)
 * @param verifier proves to the provider that the client which began the sign-in redeems the code (RFC 7636)
 */
public record SignInAttempt(String state, String nonce, String verifier) {
    private static final int RANDOM_BYTES = 32;
    private static final Pattern PART = Pattern.compile("[A-Za-z0-9_-]{43}");
    private static final SecureRandom RANDOM = new SecureRandom();

    public static SignInAttempt begin() {
        return new SignInAttempt(random(), random(), random());
    }

    /** Reads {@link #text}; empty if it is not one. */
    public static Optional<SignInAttempt> of(String text) {
        String[] parts = text.split("\\.", -1);
        for (String part : parts) {
            if (!PART.matcher(part).matches()) {
                return Optional.empty();
            }
        }
        return parts.length == 3 ? Optional.of(new SignInAttempt(parts[0], parts[1], parts[2])) : Optional.empty();
    }

    /** The attempt as the value of a cookie. */
    public String text() {
        return state + "." + nonce + "." + verifier;
    }

    /** Whether the provider's answer belongs to this attempt. */
    public boolean hasState(String answered) {
        return answered != null
                && MessageDigest.isEqual(
                        state.getBytes(StandardCharsets.UTF_8), answered.getBytes(StandardCharsets.UTF_8));
    }

    /** The challenge S256 of RFC 7636, 4.2. */
    String challenge() {
        try {
            return encoded(MessageDigest.getInstance("SHA-256").digest(verifier.getBytes(StandardCharsets.US_ASCII)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java runtime has SHA-256", e);
        }
    }

    private static String random() {
        byte[] bytes = new byte[RANDOM_BYTES];
        RANDOM.nextBytes(bytes);
        return encoded(bytes);
    }

    private static String encoded(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }
}
