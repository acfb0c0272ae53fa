package io.twinbell.compare;

/** A contender cannot run a workload, or did not finish it in time; the table shows the message. */
final class UnsupportedWork extends Exception {
    private static final long serialVersionUID = 1L;

    UnsupportedWork(String message) {
        super(message);
    }
}
