package io.twinbell.persistence.ledger;

/** Ledger reasons for slots that may have run on a primary that was lost together with its master. */
public final class DoubtReasons {
    /** The prefix of every reason here. */
    public static final String IN_DOUBT =
            "IN_DOUBT: it may have run on a primary that was lost together with its master";

    public static final String DROPPED = IN_DOUBT + "; dropped";
    public static final String ASKED = IN_DOUBT + "; a person decides whether to rerun it";
    public static final String RUN_AGAIN = IN_DOUBT + "; run again";

    private DoubtReasons() {}

    public static boolean isInDoubt(LedgerEntry entry) {
        return entry.reason() != null && entry.reason().startsWith(IN_DOUBT);
    }
}
