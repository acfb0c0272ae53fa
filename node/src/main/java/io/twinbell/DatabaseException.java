package io.twinbell;

/** Thrown if the database failed to execute a statement, or if its answer was lost. Retrying the call may succeed. */
public final class DatabaseException extends TwinbellException {
    private static final long serialVersionUID = 1L;

    DatabaseException(String message, Throwable cause) {
        super(message, cause);
    }
}
