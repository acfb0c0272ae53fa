package io.twinbell.persistence.database;

import java.sql.SQLException;

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
        if (!STATE.equals(cause.getSQLState())) {
            return new DatabaseUnavailableException(purpose, cause);
        }
        String message = cause.getMessage().lines().findFirst().orElse("");
        return new QuotaExceededException(message.replaceFirst("^ERROR: ", ""), cause);
    }
}
