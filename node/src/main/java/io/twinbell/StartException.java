package io.twinbell;

/** A node could not start: for example, a port is in use. Nothing of it runs. */
public final class StartException extends TwinbellException {
    private static final long serialVersionUID = 1L;

    StartException(String message, Throwable cause) {
        super(message, cause);
    }
}
