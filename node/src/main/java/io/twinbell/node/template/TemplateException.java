package io.twinbell.node.template;

/** A template that can't be read, or can't be filled in with the values of an attempt; the message says why. */
public final class TemplateException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public TemplateException(String message) {
        super(message);
    }
}
