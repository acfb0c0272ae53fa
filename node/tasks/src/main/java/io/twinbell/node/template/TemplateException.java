package io.twinbell.node.template;

/** Thrown if a template cannot be parsed, or cannot be filled in with the values of an attempt. */
public final class TemplateException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public TemplateException(String message) {
        super(message);
    }
}
