package io.twinbell.persistence.database;

/** Thrown when this build must not use the database or its schema. A person has to decide. */
public final class WrongSchemaException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public WrongSchemaException(String message) {
        super(message);
    }

    public WrongSchemaException(String message, Throwable cause) {
        super(message, cause);
    }
}
