package io.twinbell.node.task;

/** Thrown if data, handler body and headers of a task together exceed the limit. */
public final class PayloadTooLargeException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String pointer;

    PayloadTooLargeException(String pointer, long bytes, long limit) {
        super(
                "data, handler body and headers have " + bytes + " bytes together; the limit is " + limit,
                null,
                false,
                false);
        this.pointer = pointer;
    }

    /** The JSON pointer to the largest part. */
    public String pointer() {
        return pointer;
    }
}
