package io.twinbell.spring.transaction;

/** Thrown if the application's transactions are of a kind that cannot be part of the transaction of an execution. */
public final class NotJoinableException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String action;

    /** @param action what to do, in the imperative */
    NotJoinableException(String message, String action) {
        super(message);
        this.action = action;
    }

    /** What to do, in the imperative. */
    public String action() {
        return action;
    }
}
