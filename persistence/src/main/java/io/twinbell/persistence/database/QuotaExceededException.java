package io.twinbell.persistence.database;

import java.sql.SQLException;
import java.util.Optional;

/** Thrown if a change was refused because it would exceed a quota of an app. Nothing was stored. */
public final class QuotaExceededException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** The SQL state that the schema gives such refusals. */
    private static final String STATE = "54T01";

    private QuotaExceededException(String message, SQLException cause) {
        super(message, cause);
    }

    /** The exception for a failed statement; empty if it failed for another reason than a quota. */
    static Optional<RuntimeException> of(SQLException cause) {
        if (!STATE.equals(cause.getSQLState())) {
            return Optional.empty();
        }
        String message = cause.getMessage().lines().findFirst().orElse("");
        return Optional.of(new QuotaExceededException(message.replaceFirst("^ERROR: ", ""), cause));
    }
}
