package io.twinbell.node.engine;

/** Due tasks on their way from the trigger to the claimer, the most urgent first: a bounded heap of primitives. */
final class DueInbox {
    private final int capacity;
    private final TaskHeap due = new TaskHeap();
    /** Of all that have come since it was empty. */
    private long noneBeforeMillis;

    private long taken;
    /** Of what was taken out and is not claimed yet. */
    private long inHandMillis = Long.MAX_VALUE;
    /** Of what could not be claimed, until it is in the task heap again. */
    private long failedMillis = Long.MAX_VALUE;

    private boolean isFailedRead;

    DueInbox(int capacity) {
        this.capacity = capacity;
    }

    /** False if it is full: the task stays in the heap until the claimer has caught up. */
    synchronized boolean offer(long id, long time, int priority) {
        if (due.size() == capacity) {
            return false;
        }
        noneBeforeMillis = due.size() == 0 ? time : Math.min(noneBeforeMillis, time);
        due.put(id, Urgency.of(time, priority), priority);
        return true;
    }

    /** {@link Long#MAX_VALUE} if it is empty. */
    synchronized long headUrgency() {
        return due.headTime();
    }

    /** Nothing in it is due sooner; {@link Long#MAX_VALUE} if it is empty. */
    synchronized long noneBeforeMillis() {
        return due.size() == 0 ? Long.MAX_VALUE : noneBeforeMillis;
    }

    /** Moves up to {@code limit} of the most urgent into the arrays; returns how many. */
    synchronized int drain(long[] intoIds, long[] intoTimes, int limit) {
        int count = Math.min(due.size(), limit);
        for (int i = 0; i < count; i++) {
            intoIds[i] = due.headId();
            intoTimes[i] = Urgency.fireMillis(due.headTime(), due.headPriority());
            inHandMillis = Math.min(inHandMillis, intoTimes[i]);
            due.pop();
        }
        taken += count;
        return count;
    }

    /** How many were ever taken out: while it stays the same, nothing is on its way through the claimer's hands. */
    synchronized long taken() {
        return taken;
    }

    /** What was taken out is claimed, or decided otherwise. */
    synchronized void claimed() {
        inHandMillis = Long.MAX_VALUE;
    }

    /** What was taken out could not be claimed. It goes back into the task heap, once its rows have been read again. */
    synchronized void failed() {
        failedMillis = Math.min(failedMillis, inHandMillis);
        inHandMillis = Long.MAX_VALUE;
        isFailedRead = false;
    }

    /**
     * Called with each pass of the claimer. One pass after the last row was read, what failed is in the heap again.
     *
     * @param isAnythingToRead whether rows are still to be read
     */
    synchronized void passes(boolean isAnythingToRead) {
        if (isFailedRead) {
            failedMillis = Long.MAX_VALUE;
        }
        isFailedRead = !isAnythingToRead;
    }

    /** The soonest fire time of all that waits here or is in the claimer's hands; {@link Long#MAX_VALUE} for none. */
    synchronized long oldestMillis() {
        return Math.min(due.soonestByUrgency(), Math.min(inHandMillis, failedMillis));
    }

    /** The ids of up to {@code limit} of the most urgent, which stay where they are. */
    synchronized long[] peek(int limit) {
        int count = Math.min(due.size(), limit);
        long[] ids = new long[count];
        long[] urgencies = new long[count];
        byte[] priorities = new byte[count];
        for (int i = 0; i < count; i++) {
            ids[i] = due.headId();
            urgencies[i] = due.headTime();
            priorities[i] = (byte) due.headPriority();
            due.pop();
        }
        for (int i = 0; i < count; i++) {
            due.put(ids[i], urgencies[i], priorities[i]);
        }
        return ids;
    }

    synchronized boolean isEmpty() {
        return due.size() == 0;
    }

    synchronized int size() {
        return due.size();
    }

    synchronized void clear() {
        due.clearUserTasks();
        inHandMillis = Long.MAX_VALUE;
        failedMillis = Long.MAX_VALUE;
    }
}
