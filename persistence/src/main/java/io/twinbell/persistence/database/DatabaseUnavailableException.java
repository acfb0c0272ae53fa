package io.twinbell.persistence.database;

import java.io.IOException;
import java.net.ConnectException;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import org.postgresql.util.PSQLException;

/**
 * Thrown when a statement was not executed, or when its outcome is unknown. The caller must try the operation again.
 */
public final class DatabaseUnavailableException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private static final String READ_ONLY = "25006";

    /**
     * SQL states: not reached, wrong password, no such database, no resources, shutting down, disk failure, read-only.
     */
    private static final List<String> OUTAGES = List.of("08", "28", "3D", "53", "57", "58", READ_ONLY);

    /**
     * SQL states: cancelled or timed out, session ended by a timeout, lock not available, deadlock or serialization
     * failure, out of memory, an internal error such as a damaged index. They are not outages, because a single row may
     * meet them again and again.
     */
    private static final List<String> MOMENTS = List.of("57014", "25P03", "25P04", "55", "40", "53200", "XX");

    /** SQL states: no such schema, table, function or column. */
    private static final List<String> MISSING = List.of("3F000", "42P01", "42883", "42703");

    /**
     * Messages about libraries that cannot be loaded. Each session first loads the libraries of two settings, and a
     * function may load one later.
     */
    private static final Pattern LIBRARY = Pattern.compile(
            "could not access file \"|could not load library \"|incompatible library \"|access to library \"");

    private static final String LIBRARY_ADVICE =
            "session_preload_libraries or local_preload_libraries, set for this role, this database or the whole"
                    + " server, names a library that the server cannot load: install the library, or reset the"
                    + " setting as a superuser (alter role … reset, alter database … reset, or postgresql.conf)";

    /** SQL states: a timeout of idle sessions, of idle transactions or of transactions ended the session. */
    private static final List<String> SESSION_TIMEOUTS = List.of("57P05", "25P03", "25P04");

    private static final String TIMEOUT_ADVICE =
            "a timeout that is set for this role, this database or the whole server ends sessions before the node can set"
                    + " its own: reset it (alter role … reset, alter database … reset, or postgresql.conf)";

    /** SQL states: no such role or wrong password, no such database. */
    private static final List<String> NOT_CREATED = List.of("28", "3D");

    private static final String CREATION_ADVICE = "create role and database with 'twinbell init-db --admin-user ROLE',"
            + " or correct database.url, database.user and database.password";

    private static final String SERVERS_ADVICE = "database.url leads to more than one server that accepts writes: stop"
            + " all but the one whose data is to stay, or point database.url to that one only";

    private final boolean refusal;
    private final boolean lacksSchema;
    private final String advice;
    private final boolean needsOperator;
    private final boolean outage;
    private final boolean ofTheMoment;
    private final String summary;

    public DatabaseUnavailableException(String purpose, SQLException cause) {
        this(purpose, cause, !(cause instanceof SQLTransientConnectionException));
    }

    /** @param hasSession whether there was a session. Without one the failure says nothing about any statement */
    DatabaseUnavailableException(String purpose, SQLException cause, boolean hasSession) {
        super(
                purpose + ": " + DatabaseUrl.masked(PoolerCheck.explained(said(cause)))
                        + (isFromDriver(cause) ? " (" + LIBRARY_ADVICE + ")" : ""),
                cause);
        needsOperator = isFromDriver(cause) || PoolerCheck.isRefused(cause);
        String state = cause.getSQLState();
        boolean hasJudged = hasSession && state != null;
        refusal = hasJudged && isRefusal(state);
        lacksSchema = hasJudged && MISSING.contains(state);
        boolean isMoment = hasJudged && MOMENTS.stream().anyMatch(state::startsWith);
        outage = !hasJudged || !isMoment && OUTAGES.stream().anyMatch(state::startsWith);
        ofTheMoment = outage || isMoment;
        summary = summary(cause, hasSession);
        advice = advice(cause);
    }

    /** A database that cannot be reached, for tables in memory that emulate it. */
    public static DatabaseUnavailableException notReached(String purpose, String why) {
        return new DatabaseUnavailableException(purpose, new SQLException(why, "08001"));
    }

    /**
     * Adds the cause to the driver's message, which only says that an attempt failed: no such host, or no PostgreSQL
     * there.
     */
    private static String said(SQLException e) {
        Throwable cause = e.getCause();
        return cause instanceof IOException
                        && !String.valueOf(e.getMessage()).contains(String.valueOf(cause.getMessage()))
                ? e.getMessage() + " (" + cause.getClass().getSimpleName()
                        + (cause.getMessage() == null ? "" : ": " + cause.getMessage()) + ")"
                : e.getMessage();
    }

    /**
     * Whether the server understood the statement and will refuse it again: invalid data, a violated constraint or an
     * error in the statement. That is a bug, not an outage.
     */
    public boolean isRefusal() {
        return refusal;
    }

    /**
     * Whether the statement needs something that the schema does not have: the node's version is not installed there.
     */
    public boolean lacksSchema() {
        return lacksSchema;
    }

    /**
     * Whether no statement would be executed now: the server is not reached, accepts no writes or accepts no sessions.
     * Otherwise the failure concerns this statement: the data it writes, a lock it waits for, or its duration.
     */
    public boolean isOutage() {
        return outage;
    }

    /**
     * Whether no session can be used until a person has changed a setting of the server, or of the pooler that shares
     * its sessions.
     */
    public boolean needsOperator() {
        return needsOperator;
    }

    /** What to do about the failure, if that is known. */
    public Optional<String> advice() {
        return Optional.ofNullable(advice);
    }

    private static String advice(SQLException failure) {
        String state = String.valueOf(failure.getSQLState());
        if (isFromDriver(failure)) {
            return LIBRARY_ADVICE;
        }
        if (SESSION_TIMEOUTS.contains(state)) {
            return TIMEOUT_ADVICE;
        }
        if (failure instanceof ServerHistory.RefusedException refused && refused.isOneOfSeveral) {
            return SERVERS_ADVICE;
        }
        return NOT_CREATED.stream().anyMatch(state::startsWith) ? CREATION_ADVICE : null;
    }

    /** What is wrong, as a clause without addresses or names, so that everybody may read it. */
    public String summary() {
        return summary;
    }

    private static String summary(SQLException failure, boolean hasSession) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof ServerHistory.RefusedException) {
                return "this node refuses the database: it is an older copy, a former primary or another database"
                        + " (the node's log says which)";
            }
            if (cause instanceof ConnectException) {
                return "the database refuses connections";
            }
        }
        String state = String.valueOf(failure.getSQLState());
        if (state.equals(READ_ONLY)) {
            return "the database accepts no writes";
        }
        boolean isTold = !hasSession && failure instanceof PSQLException told && told.getServerErrorMessage() != null;
        return isTold ? "the database begins no session (the node's log says why)" : "the database does not answer";
    }

    private static boolean isFromDriver(SQLException cause) {
        return LIBRARY.matcher(String.valueOf(cause.getMessage())).find();
    }

    /**
     * Whether the statement may succeed later: it failed because of an outage, a lock, its duration, another
     * transaction or the server's own resources. Otherwise the data or the statement is to blame.
     */
    public boolean isTransient() {
        return ofTheMoment;
    }

    private static boolean isRefusal(String state) {
        return state.startsWith("22") || state.startsWith("23") || state.startsWith("42");
    }
}
