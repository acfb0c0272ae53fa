package io.twinbell.tools.importer.quartz.serialized;

/** A serialized form is incomplete or contains more than plain data; the message names the problem. */
public final class UnreadableException extends Exception {
    private static final long serialVersionUID = 1L;

    public UnreadableException(String message) {
        super(message);
    }
}
