package io.twinbell.receiver;

/** Refuses a call, which then has no effect. The HTTP status tells its sender why. */
public final class CallRefusedException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final int status;

    CallRefusedException(int status, String message) {
        super(message);
        this.status = status;
    }

    /**
     * Returns 400 for headers that are missing or malformed, 401 for a wrong signature, 409 for an epoch that is over,
     * and 503 if the effect of the same call is still in progress.
     */
    public int status() {
        return status;
    }
}
