package io.twinbell.client;

/** The base of the exceptions that this package throws, beside {@link IllegalArgumentException}. */
public abstract sealed class TaskClientException extends RuntimeException
        permits TaskRefusedException, PairUnavailableException, PayloadException {
    private static final long serialVersionUID = 1L;

    TaskClientException(String message, Throwable cause) {
        super(message, cause);
    }
}
