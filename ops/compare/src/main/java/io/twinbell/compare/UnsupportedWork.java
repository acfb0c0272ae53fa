package io.twinbell.compare;

/** The work is one that a contender cannot do, or did not end in time; the message stands in the table. */
final class UnsupportedWork extends Exception {
    private static final long serialVersionUID = 1L;

    UnsupportedWork(String message) {
        super(message);
    }
}
