package io.twinbell.tools.devpair;

/** The servers cannot start; the message says what to change. */
final class RefusedToStart extends Exception {
    private static final long serialVersionUID = 1L;

    RefusedToStart(String message) {
        super(message);
    }

    RefusedToStart(String message, Throwable cause) {
        super(message, cause);
    }
}
