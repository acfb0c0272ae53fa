package io.twinbell.node.virtual;

/** Thrown if a call of a client is refused in virtual time, for a reason that the caller can change. */
public final class VirtualRefusalException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int status;

    VirtualRefusalException(int status, String message) {
        super(message);
        this.status = status;
    }

    /** The status that the HTTP API would have answered. */
    public int status() {
        return status;
    }
}
