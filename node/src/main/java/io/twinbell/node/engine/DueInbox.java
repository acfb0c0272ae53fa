package io.twinbell.node.engine;

/** Due tasks on their way from the trigger to the claimer: a bounded buffer of primitives. */
final class DueInbox {
    private final long[] ids;
    private final long[] times;
    private int size;

    DueInbox(int capacity) {
        ids = new long[capacity];
        times = new long[capacity];
    }

    /** False if it is full: the task stays in the heap until the claimer has caught up. */
    synchronized boolean offer(long id, long time) {
        if (size == ids.length) {
            return false;
        }
        ids[size] = id;
        times[size] = time;
        size++;
        return true;
    }

    /** Moves up to {@code intoIds.length} of the oldest into the arrays; returns how many. */
    synchronized int drain(long[] intoIds, long[] intoTimes, int limit) {
        int taken = Math.min(size, limit);
        System.arraycopy(ids, 0, intoIds, 0, taken);
        System.arraycopy(times, 0, intoTimes, 0, taken);
        size -= taken;
        System.arraycopy(ids, taken, ids, 0, size);
        System.arraycopy(times, taken, times, 0, size);
        return taken;
    }

    synchronized boolean isEmpty() {
        return size == 0;
    }

    synchronized void clear() {
        size = 0;
    }
}
