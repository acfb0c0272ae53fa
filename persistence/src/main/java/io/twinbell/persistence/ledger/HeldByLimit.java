package io.twinbell.persistence.ledger;

/**
 * A claim that has to wait in the ledger.
 *
 * @param limitKey the limit that it waits for room under, or what {@link #lackingHandler} says
 */
public record HeldByLimit(Slot slot, int attempt, String limitKey) {
    /** No concurrency key begins like this, because a line has no such character. */
    private static final String LACKING = "\u0001handler:";

    /** The key for what waits until a node that has this java handler is master. */
    public static String lackingHandler(String handlerKey) {
        return LACKING + handlerKey;
    }

    public static boolean isLackingHandler(String limitKey) {
        return limitKey.startsWith(LACKING);
    }
}
