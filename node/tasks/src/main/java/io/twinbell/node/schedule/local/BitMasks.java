package io.twinbell.node.schedule.local;

import java.util.BitSet;

/** Sets of small numbers as bit masks in a long: bit n for the number n. */
public final class BitMasks {
    private BitMasks() {}

    public static long of(BitSet numbers) {
        return numbers.isEmpty() ? 0 : numbers.toLongArray()[0];
    }

    public static boolean has(long mask, int number) {
        return (mask >>> number & 1) != 0;
    }

    /** Returns the least number of a non-empty mask. */
    public static int lowest(long mask) {
        return Long.numberOfTrailingZeros(mask);
    }

    /** Returns the greatest number of a non-empty mask. */
    public static int highest(long mask) {
        return 63 - Long.numberOfLeadingZeros(mask);
    }

    /** Returns the number at a position of a mask that has more numbers than that, counted from 0. */
    public static int nth(long mask, int position) {
        long rest = mask;
        for (int i = 0; i < position; i++) {
            rest &= rest - 1;
        }
        return lowest(rest);
    }
}
