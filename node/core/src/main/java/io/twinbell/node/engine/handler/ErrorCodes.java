package io.twinbell.node.engine.handler;

import io.twinbell.handler.TaskFailedException;
import java.io.InterruptedIOException;
import java.nio.channels.ClosedByInterruptException;
import java.sql.SQLException;
import java.util.concurrent.CancellationException;

/** The stable codes of errors. Users filter by them, and retry policies name them, so a code never changes. */
public final class ErrorCodes {
    public static final String TIMEOUT = "TIMEOUT";
    public static final String INTERRUPTED = "INTERRUPTED";
    /** A java handler threw an exception without a code of its own. */
    public static final String HANDLER_EXCEPTION = "HANDLER_EXCEPTION";
    /** This node refused to run the handler: it is disabled, its target is not allowed, or a variable has no value. */
    public static final String REFUSED = "REFUSED";
    /** No java handler has the key. */
    public static final String NO_HANDLER = "NO_HANDLER";
    /** The command could not be started. */
    public static final String NOT_STARTED = "NOT_STARTED";
    /** The definition of the task cannot be read. */
    public static final String UNREADABLE_TASK = "UNREADABLE_TASK";
    /** The data of the task is not a payload of the handler's type. Another attempt would fail in the same way. */
    public static final String UNREADABLE_PAYLOAD = "UNREADABLE_PAYLOAD";
    /** The epoch was superseded, or the execution had ended, before the handler's transaction could commit. */
    public static final String SUPERSEDED = "SUPERSEDED";

    /** The handler asked to run again later too often, or for too long. */
    public static final String SNOOZE_LIMIT = "SNOOZE_LIMIT";

    /** The receiver of a parked execution posted a failure without a code of its own. */
    public static final String CALLBACK_FAILED = "CALLBACK_FAILED";

    /** The token of a parked execution was lost in a failover of the database. */
    public static final String CALLBACK_LOST = "CALLBACK_LOST";

    public static final String CONNECT_REFUSED = "CONNECT_REFUSED";
    public static final String CONNECT_TIMEOUT = "CONNECT_TIMEOUT";
    public static final String CONNECTION_LOST = "CONNECTION_LOST";
    public static final String UNKNOWN_HOST = "UNKNOWN_HOST";
    public static final String TLS_FAILED = "TLS_FAILED";
    /** The proxy of the call's profile refused it. */
    public static final String PROXY_REFUSED = "PROXY_REFUSED";

    public static final String INVALID_RESPONSE = "INVALID_RESPONSE";

    private static final int MAX_CAUSES = 20;

    private ErrorCodes() {}

    public static String ofStatus(int status) {
        return "HTTP_" + status;
    }

    public static String ofExit(int exitCode) {
        return "EXIT_" + exitCode;
    }

    /**
     * The code of an exception that ended a run.
     *
     * @param isStopped whether the node had interrupted the run: an interruption without a code of its own is then
     *     INTERRUPTED
     */
    public static String of(Throwable thrown, boolean isStopped) {
        String code = of(thrown);
        return isStopped && code.equals(HANDLER_EXCEPTION) && isInterruption(thrown) ? INTERRUPTED : code;
    }

    private static boolean isInterruption(Throwable thrown) {
        Throwable cause = thrown;
        for (int i = 0; i < MAX_CAUSES && cause != null; i++) {
            // A timeout of a socket is an InterruptedIOException too.
            if (cause instanceof InterruptedException
                    || cause instanceof ClosedByInterruptException
                    || cause.getClass() == InterruptedIOException.class) {
                return true;
            }
            cause = cause.getCause();
        }
        return false;
    }

    /** The code of the first exception that has one, from the outermost to its causes. */
    public static String of(Throwable thrown) {
        Throwable cause = thrown;
        for (int i = 0; i < MAX_CAUSES && cause != null; i++) {
            if (cause instanceof TaskFailedException failed) {
                return failed.errorCode();
            } else if (cause instanceof CancellationException) {
                return INTERRUPTED;
            } else if (cause instanceof SQLException failed && failed.getSQLState() != null) {
                return "SQL_" + failed.getSQLState();
            }
            cause = cause.getCause();
        }
        return HANDLER_EXCEPTION;
    }
}
