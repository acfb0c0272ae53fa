package io.twinbell;

/**
 * Thrown if a change does not fit the present state: a patch names another version than the task has, because the task
 * was changed concurrently, or an execution cannot run again. Read it again.
 */
public final class ConflictException extends TwinbellException {
    private static final long serialVersionUID = 1L;

    ConflictException(String message, Throwable cause) {
        super(message, cause);
    }
}
