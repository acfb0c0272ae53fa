package io.twinbell.persistence.database;

/** The database's schema is not one that this build may use. A person has to decide. */
public final class WrongSchemaException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    WrongSchemaException(String message) {
        super(message);
    }
}
