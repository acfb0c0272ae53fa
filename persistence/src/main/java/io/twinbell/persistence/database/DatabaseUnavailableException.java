package io.twinbell.persistence.database;

import java.sql.SQLException;

/** A statement was not carried out, or nobody knows whether it was. What it was for must be tried again. */
public final class DatabaseUnavailableException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final boolean connectionLost;

    DatabaseUnavailableException(String purpose, SQLException cause) {
        super(purpose + ": " + cause.getMessage(), cause);
        connectionLost = isConnectionLoss(cause);
    }

    /** True if the connection broke, so that a commit may have happened without an answer. */
    public boolean isConnectionLost() {
        return connectionLost;
    }

    /** SQLState 08 is a connection exception, 57P the server shutting down or an administrator ending the session. */
    static boolean isConnectionLoss(SQLException e) {
        String state = e.getSQLState();
        return state == null || state.startsWith("08") || state.startsWith("57P") || state.startsWith("25P03");
    }
}
