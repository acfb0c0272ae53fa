package io.twinbell;

/** The task has another version than the patch names: somebody has changed it meanwhile. Read it again. */
public final class ConflictException extends TwinbellException {
    private static final long serialVersionUID = 1L;

    ConflictException(String message, Throwable cause) {
        super(message, cause);
    }
}
