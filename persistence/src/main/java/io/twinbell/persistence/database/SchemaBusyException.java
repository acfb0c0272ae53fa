package io.twinbell.persistence.database;

/** A migration could not have a table at once, and gave way; nothing has changed, and it can be tried again. */
public final class SchemaBusyException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    SchemaBusyException(String message, Throwable cause) {
        super(message, cause);
    }
}
