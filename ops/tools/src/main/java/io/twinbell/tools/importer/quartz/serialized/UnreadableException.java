package io.twinbell.tools.importer.quartz.serialized;

/** Something was serialized that is not mere data, or not whole; the message names it. */
public final class UnreadableException extends Exception {
    private static final long serialVersionUID = 1L;

    UnreadableException(String message) {
        super(message);
    }
}
