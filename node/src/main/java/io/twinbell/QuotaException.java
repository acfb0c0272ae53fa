package io.twinbell;

/** Thrown if a change would exceed a quota of its app. Nothing was stored. */
public final class QuotaException extends TwinbellException {
    private static final long serialVersionUID = 1L;

    QuotaException(String message, Throwable cause) {
        super(message, cause);
    }
}
