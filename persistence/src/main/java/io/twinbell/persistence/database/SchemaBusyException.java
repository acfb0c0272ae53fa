package io.twinbell.persistence.database;

/** The schema could not be migrated now. The migrations before the one that failed are done, and it can be tried again. */
public final class SchemaBusyException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    SchemaBusyException(String message, Throwable cause) {
        super(message, cause);
    }
}
