package io.twinbell.client;

/**
 * The pair understood the request and refused it. The message names every mistake. Repeating the request does not help.
 */
public final class TaskRefusedException extends TaskClientException {
    private static final long serialVersionUID = 1L;

    private final int status;

    /**
     * Creates the refusal of a request, for code that takes the place of a pair in a test.
     *
     * @param status as {@link #status}
     * @param message what is wrong, with every mistake
     */
    public TaskRefusedException(int status, String message) {
        this(status, message, null);
    }

    TaskRefusedException(int status, String message, Throwable cause) {
        super(message, cause);
        this.status = status;
    }

    /**
     * Returns the status of the HTTP API, also for a request over JDBC: 400 for an invalid task, 401 and 403 for a
     * missing right, 404 for an unknown task or execution, 409 for a name that another task has, or an execution that
     * cannot run again.
     */
    public int status() {
        return status;
    }
}
