package io.twinbell.persistence.actor;

import java.sql.SQLException;

/** Thrown if a change was refused because a chain would run a task that the actor may not use. */
public final class ChainRefusedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public ChainRefusedException(String message, SQLException cause) {
        super(message, cause);
    }
}
