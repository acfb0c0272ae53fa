package io.twinbell.tools.importer.quartz;

/** A Quartz store cannot be read; the message says why. */
public final class QuartzException extends Exception {
    private static final long serialVersionUID = 1L;

    public QuartzException(String message, Throwable cause) {
        super(message, cause);
    }
}
