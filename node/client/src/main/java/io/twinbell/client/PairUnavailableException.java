package io.twinbell.client;

/** Thrown if no node answered in time; over JDBC, if the database did not. The same call may succeed later. */
public final class PairUnavailableException extends TaskClientException {
    private static final long serialVersionUID = 1L;

    private final boolean maybeDone;

    /** Says that the request was not carried out, for code that takes the place of a pair in a test. */
    public PairUnavailableException(String message) {
        this(message, false, null);
    }

    PairUnavailableException(String message, boolean maybeDone, Throwable cause) {
        super(message, cause);
        this.maybeDone = maybeDone;
    }

    /** Whether the request may have been carried out, because only its answer was lost. */
    public boolean isMaybeDone() {
        return maybeDone;
    }
}
