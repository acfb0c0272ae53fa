package io.twinbell.receiver;

/** A call that has no effect, and the HTTP status that tells its sender why. */
public final class CallRefusedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final int status;

    CallRefusedException(int status, String message) {
        super(message);
        this.status = status;
    }

    /**
     * Returns 400 for headers that are missing or malformed, 401 for a wrong signature, 409 for an epoch that is over,
     * 413 for a body that is too large, and 503 if the same call is still being worked on.
     */
    public int status() {
        return status;
    }
}
