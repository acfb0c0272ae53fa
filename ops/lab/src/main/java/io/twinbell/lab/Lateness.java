package io.twinbell.lab;

import java.util.Locale;
import java.util.stream.LongStream;

/** Quantiles of the calls' lateness, in milliseconds; {@link #NONE} if there were no calls. */
record Lateness(double p50, double p99, double max) {
    static final Lateness NONE = new Lateness(Double.NaN, Double.NaN, Double.NaN);

    static Lateness of(LongStream micros) {
        long[] sorted = micros.sorted().toArray();
        if (sorted.length == 0) {
            return NONE;
        }
        return new Lateness(at(sorted, 50), at(sorted, 99), at(sorted, 100));
    }

    /** The smallest value that at least this percentage of the values does not exceed. */
    private static double at(long[] sorted, int percent) {
        return sorted[-Math.floorDiv(-sorted.length * percent, 100) - 1] / 1000.0;
    }

    boolean isNone() {
        return equals(NONE);
    }

    @Override
    public String toString() {
        return isNone() ? "none" : String.format(Locale.ROOT, "%.1f / %.1f / %.1f", p50, p99, max);
    }
}
