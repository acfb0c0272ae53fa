package io.twinbell.persistence.database;

import java.sql.SQLException;

/** A statement was not carried out, or nobody knows whether it was. What it was for must be tried again. */
public final class DatabaseUnavailableException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final boolean refusal;

    public DatabaseUnavailableException(String purpose, SQLException cause) {
        super(purpose + ": " + cause.getMessage(), cause);
        refusal = isRefusal(cause.getSQLState());
    }

    /**
     * True if the server understood the statement and will refuse it again: bad data, a broken constraint or a mistake
     * in the statement itself. That is a fault of ours and no outage.
     */
    public boolean isRefusal() {
        return refusal;
    }

    private static boolean isRefusal(String state) {
        return state != null && (state.startsWith("22") || state.startsWith("23") || state.startsWith("42"));
    }
}
