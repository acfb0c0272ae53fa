package io.twinbell.persistence.database;

/**
 * Thrown when the schema cannot be migrated now. The earlier migrations are complete, and the rest can be tried again.
 */
public final class SchemaBusyException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    SchemaBusyException(String message, Throwable cause) {
        super(message, cause);
    }
}
