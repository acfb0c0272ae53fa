package io.twinbell.persistence.database;

import io.twinbell.persistence.clock.Ticker;
import java.sql.SQLException;
import java.time.Duration;
import java.util.function.Predicate;

/**
 * Divides a repeated scan of a range of keys into parts as soon as the whole scan is slow. While a session keeps an old
 * snapshot open, vacuum cannot remove rows, so a scan for a few rows also passes over all dead rows, and delays the
 * caller's other work. Each call then scans the next part of the range, so a row is found within some minutes. The last
 * keys come first, because the dead rows are those of recent keys. One thread only.
 */
public final class ScanWindow {
    private static final Duration QUICK = Duration.ofMillis(50);
    private static final Duration SHORTEST = Duration.ofMillis(10);
    /** Calls take at most this fraction (one part in this many) of the time since the call before. */
    private static final int PART_OF_TIME = 40;

    private final Ticker ticker;
    private final Duration longest;
    private boolean isDivided;
    /** The last key of the next part. */
    private long next;

    private long partFrom;
    /** The first key of what is left of the latest part; {@link Long#MIN_VALUE} if nothing is left. */
    private long rest;

    private long latestUntil;
    /** Whether the latest scan was one of a part. */
    private boolean isLatestPart;
    /** How many keys the next part has. */
    private long width;
    /** The least width of a part that took long, since the sweep began: that of the range with dead rows. */
    private long leastWidth;

    private long endedNanos;
    /** How long the dead rows since the sweep began took. */
    private long sweepNanos;

    /** Scans the keys from {@code from} to {@code until}, both included. */
    @FunctionalInterface
    public interface RangeScan<T> {
        T scan(long from, long until) throws SQLException;
    }

    /** Reads the range of keys that exist now. Keys outside of it are in its first and its last part. */
    @FunctionalInterface
    public interface RangeSource {
        Range read() throws SQLException;
    }

    /** A range of keys. */
    public record Range(long first, long last) {}

    /** @param longest how long a call may take, apart from the call that finds the whole scan slow */
    public ScanWindow(Ticker ticker, Duration longest) {
        this.ticker = ticker;
        this.longest = longest;
    }

    /** Makes the next call scan the whole range. */
    public void reset() {
        isDivided = false;
    }

    /**
     * Makes the next call continue after this key, because the latest part was not read to its end. Does nothing after
     * a scan of the whole range.
     */
    public void continueAfter(long key) {
        if (isLatestPart) {
            // Also if that was the last part of the range.
            isDivided = true;
            rest = key + 1;
            next = latestUntil;
        }
    }

    /** Whether a call scans a part of the range only. */
    public boolean isDivided() {
        return isDivided;
    }

    /**
     * Scans the whole range. Once it is divided, scans parts of it until something is found or the time is over. For a
     * busy caller, most calls scan no key.
     *
     * @return the result of the last part
     */
    public <T> T run(RangeSource keys, RangeScan<T> scan, Predicate<T> isFound) throws SQLException {
        long began = ticker.nanos();
        if (isDivided) {
            long most = Math.min(longest.toNanos(), (began - endedNanos) / PART_OF_TIME);
            return most < SHORTEST.toNanos() ? scan.scan(0, -1) : runParts(keys.read(), scan, isFound, began, most);
        }
        isLatestPart = false;
        T found = scan.scan(Long.MIN_VALUE, Long.MAX_VALUE);
        endedNanos = ticker.nanos();
        learn(keys, endedNanos - began);
        return found;
    }

    /** Divides the scan if another one of the whole range was slow. */
    public void learn(RangeSource keys, long tookNanos) throws SQLException {
        if (!isDivided && tookNanos > QUICK.toNanos()) {
            divide(keys.read(), tookNanos);
        }
    }

    private void divide(Range range, long tookNanos) {
        isDivided = true;
        leastWidth = Math.max(1, scaled(range.last() - range.first(), tookNanos));
        begin();
    }

    private void begin() {
        next = Long.MAX_VALUE;
        rest = Long.MIN_VALUE;
        width = leastWidth;
        leastWidth = Long.MAX_VALUE / 4;
        sweepNanos = 0;
    }

    private <T> T runParts(Range range, RangeScan<T> scan, Predicate<T> isFound, long beganNanos, long mostNanos)
            throws SQLException {
        T found;
        boolean isAtEnd;
        // On a busy machine this takes long too. What a part takes beyond it, dead rows cost.
        scan.scan(0, -1);
        long began = ticker.nanos();
        long emptyNanos = began - beganNanos;
        do {
            if (rest == Long.MIN_VALUE) {
                long first = Math.min(next, range.last()) - width + 1;
                partFrom = first <= range.first() ? Long.MIN_VALUE : first;
            }
            latestUntil = next;
            isLatestPart = true;
            found = scan.scan(Math.max(partFrom, rest), next);
            endedNanos = ticker.nanos();
            isAtEnd = partFrom == Long.MIN_VALUE;
            next = partFrom - 1;
            rest = Long.MIN_VALUE;
            adapt(Math.max(0, endedNanos - began - emptyNanos));
            began = endedNanos;
        } while (!isAtEnd && !isFound.test(found) && endedNanos - beganNanos < mostNanos);
        if (isAtEnd) {
            isDivided = sweepNanos > QUICK.toNanos();
            begin();
        }
        return found;
    }

    private void adapt(long tookNanos) {
        sweepNanos += tookNanos;
        if (tookNanos > SHORTEST.toNanos()) {
            width = Math.max(1, scaled(width, tookNanos));
        }
        if (tookNanos >= SHORTEST.toNanos() / 2) {
            leastWidth = Math.min(leastWidth, width);
        } else {
            width = Math.min(Long.MAX_VALUE / 4, 2 * width);
        }
    }

    private static long scaled(long keys, long tookNanos) {
        return (long) ((double) keys * SHORTEST.toNanos() / tookNanos);
    }
}
