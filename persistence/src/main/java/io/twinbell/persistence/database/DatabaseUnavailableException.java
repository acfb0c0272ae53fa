package io.twinbell.persistence.database;

import java.io.IOException;
import java.sql.SQLException;
import java.util.List;

/** A statement was not carried out, or nobody knows whether it was. What it was for must be tried again. */
public final class DatabaseUnavailableException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Not reached, wrong password, no such database, no resources, going down, disk trouble. */
    private static final List<String> OUTAGES = List.of("08", "28", "3D", "53", "57P", "58", "25006");

    /** Cancelled or timed out, no lock, deadlock or serialization. */
    private static final List<String> MOMENTS = List.of("57014", "55", "40");

    private static final String OUT_OF_MEMORY = "53200";

    private final boolean refusal;
    private final boolean outage;
    private final boolean ofTheMoment;

    public DatabaseUnavailableException(String purpose, SQLException cause) {
        super(purpose + ": " + DatabaseUrl.masked(Pooling.explained(said(cause))), cause);
        refusal = isRefusal(cause.getSQLState());
        outage = isOutage(cause.getSQLState());
        ofTheMoment = outage || MOMENTS.stream().anyMatch(cause.getSQLState()::startsWith);
    }

    /** The driver says that an attempt failed, and leaves it to the cause to say why: no such host, no PostgreSQL there. */
    private static String said(SQLException e) {
        Throwable cause = e.getCause();
        return cause instanceof IOException
                        && !String.valueOf(e.getMessage()).contains(String.valueOf(cause.getMessage()))
                ? e.getMessage() + " (" + cause.getClass().getSimpleName()
                        + (cause.getMessage() == null ? "" : ": " + cause.getMessage()) + ")"
                : e.getMessage();
    }

    /**
     * True if the server understood the statement and will refuse it again: bad data, a broken constraint or a mistake
     * in the statement itself. That is a fault of ours and no outage.
     */
    public boolean isRefusal() {
        return refusal;
    }

    /**
     * True if no statement would be carried out now, whatever it is: the server is not reached, takes no writes or serves
     * nobody. Otherwise the trouble is with this statement: what it writes, a lock that it waits for, the time that it takes.
     */
    public boolean isOutage() {
        return outage;
    }

    /** True if the statement was given up for a lock, its time or another transaction: later it may be carried out. */
    public boolean isOfTheMoment() {
        return ofTheMoment;
    }

    /** A single row may need more memory than there is. */
    private static boolean isOutage(String state) {
        return state == null || !state.equals(OUT_OF_MEMORY) && OUTAGES.stream().anyMatch(state::startsWith);
    }

    private static boolean isRefusal(String state) {
        return state != null && (state.startsWith("22") || state.startsWith("23") || state.startsWith("42"));
    }
}
