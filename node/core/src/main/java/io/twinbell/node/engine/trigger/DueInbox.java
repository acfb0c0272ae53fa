package io.twinbell.node.engine.trigger;

import io.twinbell.node.engine.run.AppHash;
import io.twinbell.node.engine.run.AppLoads;
import io.twinbell.node.engine.run.ClaimRoom;
import java.util.Map;

/**
 * Inbox of due tasks: the trigger adds them, and the claimer takes them in the order of {@link AppQueues}. Each task is
 * here at most once, so the number of tasks bounds the size.
 */
public final class DueInbox {
    private final AppQueues due = new AppQueues();
    /** The earliest fire time of all tasks that were added since it was empty. */
    private long noneBeforeMillis;

    private long taken;
    /** The earliest fire time of tasks taken out and not claimed yet. */
    private long inHandMillis = Long.MAX_VALUE;
    /** The earliest fire time of tasks whose claim failed, until they are in the task heap again. */
    private long failedMillis = Long.MAX_VALUE;

    private boolean isFailedRead;

    /** @param app the task's {@link AppHash} */
    public synchronized void offer(long id, long time, int priority, short app) {
        noneBeforeMillis = due.isEmpty() ? time : Math.min(noneBeforeMillis, time);
        due.offer(id, time, priority, app);
    }

    /** The urgency of the most urgent task; {@link Long#MAX_VALUE} if it is empty. */
    public synchronized long headUrgency() {
        return due.headUrgency();
    }

    /** No task in it is due before this; {@link Long#MAX_VALUE} if it is empty. */
    public synchronized long noneBeforeMillis() {
        return due.isEmpty() ? Long.MAX_VALUE : noneBeforeMillis;
    }

    /** Begins the next batch. */
    public synchronized void beginBatch() {
        due.beginBatch();
    }

    /**
     * Moves the next tasks into the arrays, the most urgent of them first.
     *
     * @return how many: at most the length of the arrays
     */
    public synchronized int drain(long[] intoIds, long[] intoTimes, ClaimRoom room, AppLoads loads) {
        int count = due.drain(intoIds, intoTimes, room, loads);
        for (int i = 0; i < count; i++) {
            inHandMillis = Math.min(inHandMillis, intoTimes[i]);
        }
        taken += count;
        return count;
    }

    /**
     * How many tasks were ever taken out. If it has not changed and the inbox is empty, the claimer has taken no task
     * since.
     */
    public synchronized long taken() {
        return taken;
    }

    /** The tasks taken out are claimed, or decided otherwise. */
    public synchronized void claimed() {
        inHandMillis = Long.MAX_VALUE;
    }

    /**
     * The tasks taken out could not be claimed. They go back into the task heap once their rows have been read again.
     */
    public synchronized void failed() {
        failedMillis = Math.min(failedMillis, inHandMillis);
        inHandMillis = Long.MAX_VALUE;
        isFailedRead = false;
    }

    /**
     * Called with each pass of the claimer. One pass after the last row was read, the tasks whose claim failed are in
     * the heap again.
     *
     * @param isAnythingToRead whether rows are still to be read
     */
    public synchronized void passes(boolean isAnythingToRead) {
        if (isFailedRead) {
            failedMillis = Long.MAX_VALUE;
        }
        isFailedRead = !isAnythingToRead;
    }

    /** The earliest fire time of all tasks that wait here or are being claimed; {@link Long#MAX_VALUE} for none. */
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

    /** {@link AppQueues#setApps} */
    public synchronized void setApps(long[] ids, Map<Long, String> apps) {
        due.setApps(ids, apps);
    }

    /** {@link AppQueues#setSoleApp} */
    public synchronized void setSoleApp(String app) {
        due.setSoleApp(app);
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
