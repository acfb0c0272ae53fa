package io.twinbell.ha.role;

/**
 * A new master's knowledge of the epoch before its own.
 *
 * @param isOver whether the predecessor resigned or is proven dead. Its process starts nothing any more but what the
 *     epoch row says that it drains. If not, its claims are left alone until its trust window has certainly ended
 * @param overAtMillis the time from which it certainly started nothing, by the database's clock; {@link Long#MAX_VALUE}
 *     if that is known only for the present
 */
public record Predecessor(long epoch, boolean isOver, long overAtMillis) {
    /** Whether the predecessor resigned its epoch itself, or there was no predecessor. */
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
