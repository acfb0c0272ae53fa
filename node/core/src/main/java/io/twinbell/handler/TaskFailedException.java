package io.twinbell.handler;

import java.util.regex.Pattern;

/**
 * A handler throws this to fail its attempt with an error code of its own. The execution shows the code, and filters
 * and retry policies can name it.
 */
public class TaskFailedException extends Exception {
    private static final long serialVersionUID = 1;
    private static final Pattern CODE = Pattern.compile("[A-Z][A-Z0-9_]{0,62}");

    private final String errorCode;

    /**
     * Creates an exception.
     *
     * @param errorCode 1 to 63 capital letters, digits and underscores, beginning with a letter
     * @throws IllegalArgumentException if the code is not of this form
     */
    public TaskFailedException(String errorCode, String message) {
        this(errorCode, message, null);
    }

    /**
     * Creates an exception with a cause, which may be null.
     *
     * @throws IllegalArgumentException if the code is not 1 to 63 capital letters, digits and underscores
     */
    public TaskFailedException(String errorCode, String message, Throwable cause) {
        super(message, cause);
        if (errorCode == null || !CODE.matcher(errorCode).matches()) {
            throw new IllegalArgumentException(
                    "an error code is 1 to 63 capital letters, digits and underscores, not " + errorCode);
        }
        this.errorCode = errorCode;
    }

    public final String errorCode() {
        return errorCode;
    }
}
