package io.twinbell.persistence.ledger.record;

import io.twinbell.persistence.ledger.Slot;

/**
 * A claimed execution that must wait in the ledger: for room under a limit, or for a master that has its handler.
 *
 * @param limitKey the key of the limit, or a {@link #lackingHandler} key
 */
public record LedgerWait(Slot slot, int attempt, String limitKey) {
    /** No concurrency key begins with this, because a concurrency key contains no control character. */
    private static final String LACKING = "\u0001handler:";

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
