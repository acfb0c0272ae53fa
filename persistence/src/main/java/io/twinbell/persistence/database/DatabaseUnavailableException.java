package io.twinbell.persistence.database;

import java.io.IOException;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** A statement was not carried out, or nobody knows whether it was. What it was for must be tried again. */
public final class DatabaseUnavailableException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Not reached, wrong password, no such database, no resources, going down, disk trouble. */
    private static final List<String> OUTAGES = List.of("08", "28", "3D", "53", "57P", "58", "25006");

    /** Cancelled or timed out, no lock, deadlock or serialization. */
    private static final List<String> MOMENTS = List.of("57014", "55", "40");

    private static final String OUT_OF_MEMORY = "53200";

    /** Each session loads the libraries of two settings first, and a function may want one later. */
    private static final Pattern LIBRARY = Pattern.compile(
            "could not access file \"|could not load library \"|incompatible library \"|access to library \"");

    private static final String LIBRARY_ADVICE =
            "session_preload_libraries or local_preload_libraries names a library, for this role, this database or the whole"
                    + " server, that the server does not have or cannot load: install it, or as a superuser alter role … reset,"
                    + " alter database … reset, or correct postgresql.conf";

    private final boolean refusal;
    private final boolean library;
    private final boolean outage;
    private final boolean ofTheMoment;

    public DatabaseUnavailableException(String purpose, SQLException cause) {
        super(
                purpose + ": " + DatabaseUrl.masked(PoolerCheck.explained(said(cause)))
                        + (isOfLibrary(cause) ? " (" + LIBRARY_ADVICE + ")" : ""),
                cause);
        library = isOfLibrary(cause);
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

    /** True if the server serves no session of this role and database before a person has changed its settings. */
    public boolean needsAPerson() {
        return library;
    }

    /** What to do about it, if that is known. */
    public Optional<String> advice() {
        return library ? Optional.of(LIBRARY_ADVICE) : Optional.empty();
    }

    private static boolean isOfLibrary(SQLException cause) {
        return LIBRARY.matcher(String.valueOf(cause.getMessage())).find();
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
