package io.twinbell;

/**
 * The base of the library's own exceptions. The library also throws {@link IllegalArgumentException} for an invalid
 * argument, and {@link IllegalStateException} for a call at the wrong time. The message says what happened; the cause
 * has the details.
 */
public abstract sealed class TwinbellException extends RuntimeException
        permits ConfigurationException, StartException, DatabaseException, ConflictException, QuotaException {
    private static final long serialVersionUID = 1L;

    TwinbellException(String message, Throwable cause) {
        super(message, cause);
    }
}
