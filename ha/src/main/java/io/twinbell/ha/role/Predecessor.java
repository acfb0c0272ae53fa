package io.twinbell.ha.role;

/**
 * What a new master knows of the epoch before its own.
 *
 * @param isOver whether its process certainly starts nothing any more: it has said so itself, or is proven dead. If not,
 *     what it claimed is left alone until its trust has surely ended
 * @param overAtMillis from when on it certainly started nothing, by the database's clock; {@link Long#MAX_VALUE} if that
 *     is only known of the present
 */
public record Predecessor(long epoch, boolean isOver, long overAtMillis) {
    /** Whether it gave its epoch up by itself, or there was none. */
    public boolean resignedItself() {
        return isOver && overAtMillis == Long.MAX_VALUE;
    }

    public static Predecessor unknown(long epoch) {
        return new Predecessor(epoch, false, Long.MAX_VALUE);
    }

    public static Predecessor over(long epoch) {
        return new Predecessor(epoch, true, Long.MAX_VALUE);
    }

    public static Predecessor deadSince(long epoch, long millis) {
        return new Predecessor(epoch, true, millis);
    }
}
