package io.twinbell.node.engine.trigger;

import io.twinbell.node.engine.run.AppGroup;
import io.twinbell.node.engine.run.AppLoads;
import io.twinbell.node.engine.run.ClaimRoom;
import java.util.Map;

/**
 * Due tasks on their way from the trigger to the claimer, which takes them as {@link AppQueues} says. Each task is here at
 * most once, so the number of tasks bounds it.
 */
public final class DueInbox {
    private final AppQueues due = new AppQueues();
    /** Of all that have come since it was empty. */
    private long noneBeforeMillis;

    private long taken;
    /** Of what was taken out and is not claimed yet. */
    private long inHandMillis = Long.MAX_VALUE;
    /** Of what could not be claimed, until it is in the task heap again. */
    private long failedMillis = Long.MAX_VALUE;

    private boolean isFailedRead;

    /** @param app the task's {@link AppGroup} */
    public synchronized void offer(long id, long time, int priority, short app) {
        noneBeforeMillis = due.isEmpty() ? time : Math.min(noneBeforeMillis, time);
        due.offer(id, time, priority, app);
    }

    /** {@link Long#MAX_VALUE} if it is empty. */
    public synchronized long headUrgency() {
        return due.headUrgency();
    }

    /** Nothing in it is due sooner; {@link Long#MAX_VALUE} if it is empty. */
    public synchronized long noneBeforeMillis() {
        return due.isEmpty() ? Long.MAX_VALUE : noneBeforeMillis;
    }

    /** The next batch begins. */
    public synchronized void beginBatch() {
        due.beginBatch();
    }

    /**
     * Moves into the arrays what goes next, the most urgent of it first.
     *
     * @return how many: at most as many as the arrays have room for
     */
    public synchronized int drain(long[] intoIds, long[] intoTimes, ClaimRoom room, AppLoads loads) {
        int count = due.drain(intoIds, intoTimes, room, loads);
        for (int i = 0; i < count; i++) {
            inHandMillis = Math.min(inHandMillis, intoTimes[i]);
        }
        taken += count;
        return count;
    }

    /** How many were ever taken out: while it stays the same, nothing is on its way through the claimer's hands. */
    public synchronized long taken() {
        return taken;
    }

    /** What was taken out is claimed, or decided otherwise. */
    public synchronized void claimed() {
        inHandMillis = Long.MAX_VALUE;
    }

    /** What was taken out could not be claimed. It goes back into the task heap, once its rows have been read again. */
    public synchronized void failed() {
        failedMillis = Math.min(failedMillis, inHandMillis);
        inHandMillis = Long.MAX_VALUE;
        isFailedRead = false;
    }

    /**
     * Called with each pass of the claimer. One pass after the last row was read, what failed is in the heap again.
     *
     * @param isAnythingToRead whether rows are still to be read
     */
    public synchronized void passes(boolean isAnythingToRead) {
        if (isFailedRead) {
            failedMillis = Long.MAX_VALUE;
        }
        isFailedRead = !isAnythingToRead;
    }

    /** The soonest fire time of all that waits here or is in the claimer's hands; {@link Long#MAX_VALUE} for none. */
    public synchronized long oldestMillis() {
        return Math.min(due.soonestMillis(), Math.min(inHandMillis, failedMillis));
    }

    /** {@link AppQueues#unknown} */
    public synchronized int unknown(ClaimRoom room) {
        return due.unknown(room);
    }

    /** {@link AppQueues#peekUnknown} */
    public synchronized long[] peekUnknown(int limit) {
        return due.peekUnknown(limit);
    }

    /** {@link AppQueues#learn} */
    public synchronized void learn(long[] ids, Map<Long, String> apps) {
        due.learn(ids, apps);
    }

    /** {@link AppQueues#learnSoleApp} */
    public synchronized void learnSoleApp(String app) {
        due.learnSoleApp(app);
    }

    /** The ids of up to {@code limit} of the most urgent of every app, which stay where they are. */
    public synchronized long[] peek(int limit) {
        return due.peek(limit);
    }

    public synchronized boolean isEmpty() {
        return due.isEmpty();
    }

    public synchronized int size() {
        return due.size();
    }

    public synchronized void clear() {
        due.clear();
        inHandMillis = Long.MAX_VALUE;
        failedMillis = Long.MAX_VALUE;
    }
}
