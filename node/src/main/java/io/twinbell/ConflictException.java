package io.twinbell;

/** Thrown if a patch names another version than the task has: the task was changed concurrently. Read it again. */
public final class ConflictException extends TwinbellException {
    private static final long serialVersionUID = 1L;

    ConflictException(String message, Throwable cause) {
        super(message, cause);
    }
}
