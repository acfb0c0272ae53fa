package io.twinbell.node.schedule.cron;

import java.util.BitSet;

/** Sets of small numbers as bit masks in a long: bit n for the number n. */
final class BitMasks {
    private BitMasks() {}

    static long of(BitSet numbers) {
        return numbers.isEmpty() ? 0 : numbers.toLongArray()[0];
    }

    static boolean has(long mask, int number) {
        return (mask >>> number & 1) != 0;
    }

    /** Returns the least number of a non-empty mask. */
    static int lowest(long mask) {
        return Long.numberOfTrailingZeros(mask);
    }

    /** Returns the greatest number of a non-empty mask. */
    static int highest(long mask) {
        return 63 - Long.numberOfLeadingZeros(mask);
    }
}
