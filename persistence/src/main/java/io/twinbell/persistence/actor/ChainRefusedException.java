package io.twinbell.persistence.actor;

import java.sql.SQLException;
import java.util.Optional;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/** Thrown if a change was refused because a chain would run a task that the actor may not use. Nothing was stored. */
public final class ChainRefusedException extends RuntimeException {
    private static final long serialVersionUID = 1L;
    /** A role without the right to a table has the same SQL state, but no constraint. */
    private static final String CONSTRAINT = "task_chain_grants";

    private ChainRefusedException(String message, SQLException cause) {
        super(message, cause);
    }

    /** The exception for a failed statement; empty if it failed for another reason. */
    public static Optional<RuntimeException> of(SQLException cause) {
        ServerErrorMessage refusal = cause instanceof PSQLException ofServer ? ofServer.getServerErrorMessage() : null;
        return refusal != null && CONSTRAINT.equals(refusal.getConstraint())
                ? Optional.of(new ChainRefusedException(refusal.getMessage(), cause))
                : Optional.empty();
    }
}
