package io.twinbell.persistence.ledger.record;

import io.twinbell.persistence.ledger.Slot;

/**
 * A claimed execution that must wait in the ledger: for room under a limit, for the quota of its app, or for a master
 * that has its handler.
 *
 * @param limitKey the key of the limit, or a {@link #quota} or {@link #lackingHandler} key
 */
public record LedgerWait(Slot slot, int attempt, String limitKey) {
    /** No concurrency key begins with this, because a concurrency key contains no control character. */
    private static final String LACKING = "\u0001handler:";

    private static final String QUOTA = "\u0001quota:";

    /** The key of executions that wait because their app has started too many in the last minute. */
    public static String quota(String app) {
        return QUOTA + app;
    }

    public static boolean isQuota(String limitKey) {
        return limitKey.startsWith(QUOTA);
    }

    /** The app that a {@link #quota} key names. */
    public static String app(String limitKey) {
        return limitKey.substring(QUOTA.length());
    }

    /** The key of executions that wait until the master has this java handler. */
    public static String lackingHandler(String handlerKey) {
        return LACKING + handlerKey;
    }

    public static boolean isLackingHandler(String limitKey) {
        return limitKey.startsWith(LACKING);
    }

    /** The handler that a {@link #lackingHandler} key names. */
    public static String handlerKey(String limitKey) {
        return limitKey.substring(LACKING.length());
    }
}
