package io.twinbell.tools.importer;

/** The store of another scheduler cannot be read; the message says why. */
public final class SourceException extends Exception {
    private static final long serialVersionUID = 1L;

    public SourceException(String message, Throwable cause) {
        super(message, cause);
    }
}
