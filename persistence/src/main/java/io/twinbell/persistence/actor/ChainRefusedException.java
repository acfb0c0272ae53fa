package io.twinbell.persistence.actor;

import java.sql.SQLException;

/** Thrown if a task was not stored because it would lead a chain to a task that the actor may not use. */
public final class ChainRefusedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public ChainRefusedException(String message, SQLException cause) {
        super(message, cause);
    }
}
