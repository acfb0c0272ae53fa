package io.twinbell.client;

/** The base of the exceptions of this package. The package also throws {@link IllegalArgumentException}. */
public abstract sealed class TaskClientException extends RuntimeException
        permits TaskRefusedException, PairUnavailableException, PayloadException {
    private static final long serialVersionUID = 1L;

    TaskClientException(String message, Throwable cause) {
        super(message, cause);
    }
}
