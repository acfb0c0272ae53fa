package io.twinbell.node.json;

import java.util.List;
import java.util.stream.Collectors;

/** Thrown if a JSON document is not acceptable; contains all errors of the document. */
public final class InvalidJsonException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** The maximum number of errors in one message or answer. */
    public static final int MOST_SHOWN = 100;

    private final transient List<FieldError> errors;

    public InvalidJsonException(List<FieldError> errors) {
        // A refusal is an expected answer, so the stack trace is left out.
        super(inOneLine(errors), null, false, false);
        this.errors = List.copyOf(errors);
    }

    public InvalidJsonException(String pointer, String detail) {
        this(List.of(new FieldError(pointer, detail)));
    }

    public List<FieldError> errors() {
        return errors;
    }

    private static String inOneLine(List<FieldError> errors) {
        String more = errors.size() <= MOST_SHOWN ? "" : "; and " + (errors.size() - MOST_SHOWN) + " or more others";
        return errors.stream()
                .limit(MOST_SHOWN)
                .map(error -> error.pointer().isEmpty() ? error.detail() : error.pointer() + ": " + error.detail())
                .collect(Collectors.joining("; ", "", more));
    }
}
