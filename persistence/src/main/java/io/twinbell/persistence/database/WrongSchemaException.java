package io.twinbell.persistence.database;

/** The database, or the schema in it, is not one that this build may use. A person has to decide. */
public final class WrongSchemaException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    WrongSchemaException(String message) {
        super(message);
    }

    WrongSchemaException(String message, Throwable cause) {
        super(message, cause);
    }
}
