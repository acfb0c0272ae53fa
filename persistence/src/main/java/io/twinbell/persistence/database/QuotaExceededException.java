package io.twinbell.persistence.database;

import io.twinbell.persistence.actor.ChainRefusedException;
import java.sql.SQLException;
import org.postgresql.util.PSQLException;

/** Thrown if a change was refused because it would exceed a quota of an app. Nothing was stored. */
public final class QuotaExceededException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** The SQL state that the schema gives such refusals. */
    private static final String STATE = "54T01";

    private QuotaExceededException(String message, SQLException cause) {
        super(message, cause);
    }

    /** The exception for a failed statement: this one if a quota was exceeded. */
    static RuntimeException of(String purpose, SQLException cause) {
        String message = String.valueOf(cause.getMessage())
                .lines()
                .findFirst()
                .orElse("")
                .replaceFirst("^ERROR: ", "");
        if (STATE.equals(cause.getSQLState())) {
            return new QuotaExceededException(message, cause);
        }
        return isOfChain(cause)
                ? new ChainRefusedException(message, cause)
                : new DatabaseUnavailableException(purpose, cause);
    }

    /** A role without the right to a table has the same SQL state, but no constraint. */
    private static boolean isOfChain(SQLException cause) {
        return cause instanceof PSQLException refusal
                && refusal.getServerErrorMessage() != null
                && "task_chain_grants".equals(refusal.getServerErrorMessage().getConstraint());
    }
}
