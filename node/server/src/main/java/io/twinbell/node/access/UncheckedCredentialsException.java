package io.twinbell.node.access;

import java.time.Duration;

/**
 * Credentials cannot be checked now, because the party that knows them does not answer. They may be valid: the client
 * should send them again.
 */
public final class UncheckedCredentialsException extends RuntimeException {
    private static final long serialVersionUID = 1L;
    private static final long NANOS = Duration.ofSeconds(1).toNanos();

    private final Duration wait;

    /**
     * @param detail for the client: why they cannot be checked
     * @param wait after which another attempt makes sense
     */
    public UncheckedCredentialsException(String detail, Duration wait) {
        // An expected answer, so the stack trace is left out.
        super(detail, null, false, false);
        this.wait = wait;
    }

    /** The wait in whole seconds, at least one, for the header {@code Retry-After}. */
    public long retryAfterSeconds() {
        return Math.max(1, (wait.toNanos() + NANOS - 1) / NANOS);
    }
}
