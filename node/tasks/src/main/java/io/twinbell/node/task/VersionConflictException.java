package io.twinbell.node.task;

/** Thrown if the task was changed since the caller read it. */
public final class VersionConflictException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final long actual;

    VersionConflictException(long expected, long actual) {
        super("the task has version " + actual + ", not " + expected + ": read it again", null, false, false);
        this.actual = actual;
    }

    public long actual() {
        return actual;
    }
}
