package io.twinbell.node.task;

/** What a task hands to its handler is more than Twinbell carries. */
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

    /** A JSON pointer to the largest part. */
    public String pointer() {
        return pointer;
    }
}
