package io.twinbell;

/** The database did not carry out a statement, or its answer was lost. The same call may succeed later. */
public final class DatabaseException extends TwinbellException {
    private static final long serialVersionUID = 1L;

    DatabaseException(String message, Throwable cause) {
        super(message, cause);
    }
}
