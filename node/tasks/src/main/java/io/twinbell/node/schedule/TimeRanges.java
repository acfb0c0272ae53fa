package io.twinbell.node.schedule;

import java.util.Arrays;

/**
 * A sorted set of disjoint time ranges, start inclusive and end exclusive. Immutable; each query is a binary search.
 */
public final class TimeRanges {
    public static final TimeRanges NONE = new TimeRanges(new long[0], new long[0]);

    private final long[] starts;
    private final long[] ends;

    private TimeRanges(long[] starts, long[] ends) {
        this.starts = starts;
        this.ends = ends;
    }

    /** Collects ranges in any order, and merges those that touch or overlap. Empty ranges are ignored. */
    public static final class Collector {
        private long[][] gathered = new long[16][];
        private int size;

        public Collector add(long start, long end) {
            if (start < end) {
                if (size == gathered.length) {
                    gathered = Arrays.copyOf(gathered, size * 2);
                }
                gathered[size++] = new long[] {start, end};
            }
            return this;
        }

        public TimeRanges merged() {
            long[][] sorted = Arrays.copyOf(gathered, size);
            Arrays.sort(sorted, (a, b) -> Long.compare(a[0], b[0]));
            long[] starts = new long[size];
            long[] ends = new long[size];
            int merged = 0;
            for (long[] stretch : sorted) {
                if (merged > 0 && stretch[0] <= ends[merged - 1]) {
                    ends[merged - 1] = Math.max(ends[merged - 1], stretch[1]);
                } else {
                    starts[merged] = stretch[0];
                    ends[merged++] = stretch[1];
                }
            }
            return new TimeRanges(Arrays.copyOf(starts, merged), Arrays.copyOf(ends, merged));
        }
    }

    public int size() {
        return starts.length;
    }

    public long start(int index) {
        return starts[index];
    }

    public long end(int index) {
        return ends[index];
    }

    boolean isEmpty() {
        return starts.length == 0;
    }

    boolean covers(long time) {
        int at = lastFrom(time);
        return at >= 0 && time < ends[at];
    }

    /** Returns the end of the range that covers the time, or the time itself if none does. */
    long endAt(long time) {
        int at = lastFrom(time);
        return at >= 0 ? Math.max(time, ends[at]) : time;
    }

    /** Returns the start of the range that covers the time, or the time itself if none does. */
    long startAt(long time) {
        int at = lastFrom(time);
        return at >= 0 && time < ends[at] ? starts[at] : time;
    }

    /** Returns the first start after the time, or {@link Long#MAX_VALUE}. */
    long startAfter(long time) {
        int next = lastFrom(time) + 1;
        return next < starts.length ? starts[next] : Long.MAX_VALUE;
    }

    /** Returns the last end at or before a time that no range covers, or {@link Long#MIN_VALUE}. */
    long endBefore(long time) {
        int at = lastFrom(time);
        return at >= 0 ? ends[at] : Long.MIN_VALUE;
    }

    /** Returns the index of the last range that starts at or before the time, or -1. */
    private int lastFrom(long time) {
        int found = Arrays.binarySearch(starts, time);
        return found >= 0 ? found : -found - 2;
    }
}
