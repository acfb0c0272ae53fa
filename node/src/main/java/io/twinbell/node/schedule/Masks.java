package io.twinbell.node.schedule;

import java.util.BitSet;

/** Sets of small numbers as the bits of a long: bit n stands for the number n. */
final class Masks {
    private Masks() {}

    static long of(BitSet numbers) {
        return numbers.isEmpty() ? 0 : numbers.toLongArray()[0];
    }

    static boolean has(long mask, int number) {
        return (mask >>> number & 1) != 0;
    }

    /** The least number of a mask that is not empty. */
    static int lowest(long mask) {
        return Long.numberOfTrailingZeros(mask);
    }

    /** The greatest number of a mask that is not empty. */
    static int highest(long mask) {
        return 63 - Long.numberOfLeadingZeros(mask);
    }
}
