package io.twinbell.client;

/** A payload could not be written as JSON, or the data of a task is not a payload of the handler's type. */
public final class PayloadException extends TaskClientException {
    private static final long serialVersionUID = 1L;

    PayloadException(String message, Throwable cause) {
        super(message, cause);
    }
}
